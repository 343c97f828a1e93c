import assert from "node:assert/strict";
import { test } from "node:test";

import { freelancerKey, MatchingService } from "freelancer-matching-testing";

test("a service that tests control", async () => {
  const service = await MatchingService.start();
  const match = async (key) => {
    const response = await fetch(`${service.url}/api/v1/match`, {
      method: "POST",
      headers: { "X-API-Key": key, "Content-Type": "application/json" },
      body: JSON.stringify({ description: "Online shop with React and Node.js", limit: 3 }),
    });
    return { status: response.status, body: await response.text() };
  };

  try {
    const first = await match(service.key);
    assert.equal(first.status, 200);

    await service.fail("429=7s", 1);
    assert.equal((await match(service.key)).status, 429);

    await service.enforceQuota();
    for (let i = 0; i < 100; i++) await match(freelancerKey);
    assert.equal((await match(freelancerKey)).status, 429);
    await service.advance("1m");
    assert.equal((await match(freelancerKey)).status, 200);

    await service.script({ when: "tests", level: 5 });
    await assert.rejects(service.script({ level: 9 }), /level/);
    await service.seed(5, 7);
    await service.load([{ id: "ada", name: "Ada Byron", job_title: "React developer", skills: ["React"] }]);
    assert.match((await match(service.key)).body, /"ada"/);

    await service.reset();
    assert.deepEqual(await match(service.key), first);
  } finally {
    await service.stop();
  }
});
