import json
import urllib.error
import urllib.request
from datetime import timedelta

import pytest

from freelancer_matching_testing import FREELANCER_KEY, MatchingError, MatchingService


def match(service: MatchingService, key: str) -> tuple[int, str]:
    body = json.dumps({"description": "Online shop with React and Node.js", "limit": 3}).encode()
    headers = {"X-API-Key": key, "Content-Type": "application/json"}
    request = urllib.request.Request(f"{service.url}/api/v1/match", data=body, headers=headers)
    try:
        with urllib.request.urlopen(request, timeout=60) as response:
            return response.status, response.read().decode()
    except urllib.error.HTTPError as error:
        return error.code, error.read().decode()


def test_service() -> None:
    with MatchingService() as service:
        status, first = match(service, service.key)
        assert status == 200

        service.fail("429=7s", times=1)
        assert match(service, service.key)[0] == 429

        service.enforce_quota()
        for _ in range(100):
            match(service, FREELANCER_KEY)
        assert match(service, FREELANCER_KEY)[0] == 429
        service.advance(timedelta(minutes=1))
        assert match(service, FREELANCER_KEY)[0] == 200

        service.script({"when": "tests", "level": 5})
        with pytest.raises(MatchingError, match="level"):
            service.script({"level": 9})
        service.seed(5, seed=7)
        service.load([{"id": "ada", "name": "Ada Byron", "job_title": "React developer", "skills": ["React"]}])
        assert '"ada"' in match(service, service.key)[1]

        service.reset()
        assert match(service, service.key) == (200, first)
