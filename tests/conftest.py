"""What holds for every test."""

from hypothesis import HealthCheck, settings

# A machine with much to do makes inputs slowly; that says nothing about what is tested.
settings.register_profile("calm", deadline=None, suppress_health_check=[HealthCheck.too_slow])
settings.load_profile("calm")
