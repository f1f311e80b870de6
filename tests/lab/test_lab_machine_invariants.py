"""Whatever a client, an operator and bad luck do to a switch: some things hold at every moment."""

from __future__ import annotations

from typing import Any

from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, precondition, rule
from lab_direct import DirectLab
from lab_trees import pair

from intent.core.errors import IntentError
from intent.lab.semantics import judge
from intent.lab.store import MAX_REVISIONS

BUSY = {"checking", "verifying", "readying", "reloading", "confirm", "confirm_no", "ignore_fail"}
KNOWN = BUSY | {
    "pending",
    "apply",
    "ays",
    "ays_fail",
    "invalid",
    "apply_fail",
    "confirm_fail",
    "applied",
    "applied_and_saved",
    "inactive",
    "detached",
}
BODIES: tuple[Any, ...] = (
    {"interface": {"swp5": {"type": "swp", "description": "one"}}},
    {"interface": {"swp5": {"description": "two"}, "swp6": None}},
    {"interface": {"swp6": {"link": {"mtu": 9000}}}},
    {"interface": {"swp7s0": {"type": "swp"}}},
    {"system": {"config": {"auto-save": {"state": "disabled"}}}},
    {"system": {"config": None}},
    {"interface": {"swp5": {"link": {"mtu": "big"}}}},
    {"system": {"hostname": "renamed"}},
    [],
)
ORDERS = (
    "apply",
    "ays_yes",
    "ays_no",
    "confirm_yes",
    "confirm_no",
    "ignore_fail_yes",
    "ignore_fail_no",
    "save",
    "detached",
    "x",
)


class SwitchUnderFire(RuleBasedStateMachine):
    """One switch, any order of calls."""

    @initialize()
    def begin(self) -> None:
        self.lab = DirectLab(pair(), apply_s=1.0)
        self.leaf = self.lab.client("leaf1")
        self.machine = self.lab.world.machines["leaf1"]
        self.ids = ["1"]
        # The configuration to come back to, while a revision awaits confirmation.
        self.awaiting: tuple[str, Any] | None = None

    def call(self, method: str, path: str, body: Any = None, **query: Any) -> Any:
        status, answer = self.leaf.call(method, path, body, **query)
        assert status in (200, 204, 400, 404, 405, 409, 502), (status, answer)
        assert (status == 502) is (self.lab.now < self.machine.serves_from)
        return answer if status == 200 else None

    @rule()
    def create(self) -> None:
        made = self.call("POST", "/revision", {})
        if made:
            self.ids.append(next(iter(made)))

    @rule(data=st.data(), body=st.sampled_from(BODIES))
    def load(self, data: st.DataObject, body: Any) -> None:
        self.call("PATCH", "/", body, rev=data.draw(st.sampled_from(self.ids[-4:])))

    @rule(data=st.data())
    def clear(self, data: st.DataObject) -> None:
        self.call("DELETE", "/interface", rev=data.draw(st.sampled_from(self.ids[-4:])))

    @rule(data=st.data(), word=st.sampled_from(ORDERS), sure=st.booleans(), confirm=st.sampled_from((0, 3, 30)))
    def order(self, data: st.DataObject, word: str, sure: bool, confirm: int) -> None:
        body: dict[str, Any] = {"state": word, "state-controls": {"confirm": confirm}}
        if sure:
            body["auto-prompt"] = {"ays": "ays_yes"}
        target = data.draw(st.sampled_from([*self.ids[-4:], "applied", "nothing"]))
        self.call("PATCH", f"/revision/{target}", body)

    @rule(seconds=st.sampled_from((0.1, 0.4, 1.0, 5.0, 70.0)))
    def wait(self, seconds: float) -> None:
        self.lab.advance(seconds)

    @rule(
        kind=st.sampled_from(("hung-apply", "apply-fail", "lost-after-apply", "clear", "reboot", "restart")),
        ask=st.booleans(),
    )
    def fault(self, kind: str, ask: bool) -> None:
        self.lab.fault(kind, "leaf1", times=1, ask=ask, for_s=2)

    @rule(body=st.sampled_from(BODIES[:4]))
    def by_hand(self, body: Any) -> None:
        try:
            self.lab.fault("change-by-hand", "leaf1", set={"interface": body["interface"]})
        except IntentError as error:
            assert "refuses the change" in error.message

    @precondition(lambda self: self.awaiting is not None)
    @rule()
    def let_the_timer_lapse(self) -> None:
        revision, before = self.awaiting or ("", None)
        self.lab.advance(100)
        if self.lab.now < self.machine.serves_from:
            return
        assert self.leaf.revision(revision)["state"] == "confirm_fail"
        assert self.machine.tree(before) is not None

    @invariant()
    def holds(self) -> None:
        if self.lab.now < self.machine.serves_from:
            assert self.leaf.call("GET", "/revision") == (502, None)
            return
        listed = self.leaf.get("/revision")
        states = {name: held["state"] for name, held in listed.items() if name not in ("applied", "startup")}
        assert set(states.values()) <= KNOWN, states
        assert len(states) <= MAX_REVISIONS
        assert sum(state in BUSY for state in states.values()) <= 1, "one revision holds the machine"
        applied, startup = self.leaf.applied(), self.leaf.get("/", rev="startup", filled="false")
        for tree in (applied, startup):
            assert self.machine.schema.check(tree) == []
            assert judge(tree, self.machine.panel) == [], "nothing invalid is ever in force"
        held = self.machine.store.revisions[self.machine.store.applied_id]
        assert held.state in ("applied", "applied_and_saved", "confirm", "confirm_no"), held.state
        assert (held.state == "applied_and_saved") <= (applied == startup)
        assert self.machine.facts.hostname == applied["system"]["hostname"]
        self.awaiting = (held.id, held.before[1]) if held.state == "confirm" and held.before else None


SwitchUnderFire.TestCase.settings = settings(max_examples=25, stateful_step_count=25, deadline=None)
TestSwitchUnderFire = SwitchUnderFire.TestCase
