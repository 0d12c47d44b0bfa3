"""What the network and AWS's queue may do to an asynchronous event, on request: lose, repeat, delay it."""

import random
from collections import defaultdict, deque
from dataclasses import dataclass, field


@dataclass
class Chaos:
    """Chances between 0 and 1, drawn from `seed`, and single fates that a test gives out in advance."""

    drop: float = 0.0
    duplicate: float = 0.0
    max_delay_s: float = 0.0
    seed: int = 0
    _random: random.Random = field(init=False, repr=False)
    _fates: defaultdict[str, deque[tuple[float, ...]]] = field(init=False, repr=False)

    def __post_init__(self) -> None:
        self._random = random.Random(self.seed)  # noqa: S311 - repeatable, not secret
        self._fates = defaultdict(deque)

    def next(self, function: str, *delays_s: float) -> None:
        """Decide the next event for `function`: delivered once for every delay given; with none, lost."""
        self._fates[function].append(delays_s)

    def deliveries(self, function: str) -> tuple[float, ...]:
        """The delays, in real seconds, after which one accepted event is delivered: () when it is lost."""
        if self._fates[function]:
            return self._fates[function].popleft()
        if self._random.random() < self.drop:
            return ()
        copies = 2 if self._random.random() < self.duplicate else 1
        return tuple(self._random.uniform(0, self.max_delay_s) for _ in range(copies))
