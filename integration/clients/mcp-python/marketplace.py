"""Calls the tools of the server with the Python SDK of the Model Context Protocol, over HTTP and over stdio."""

import asyncio
import json
import os
from pathlib import Path

import httpx2
from mcp import Client, StdioServerParameters, stdio_client
from mcp.client.streamable_http import streamable_http_client

URL = os.environ["URL"]
KEY = os.environ["KEY"]
BRIEF = {"description": "Online shop in React, not WordPress", "required_skills": ["React"], "budget_range": [3000, 5000]}
WRITING = {"put_freelancer", "delete_freelancer"}


def check(condition, *what):
    if not condition:
        raise SystemExit(f"unexpected: {what}")


def fails(result, code):
    """Checks that a call failed with a code of the API."""
    check(result.is_error and json.loads(result.content[0].text)["code"] == code, result)


async def marketplace(agent, own):
    """Does what an agent of a marketplace does. The ID own is free: an erased one could not be used again."""
    tools = {tool.name for tool in (await agent.list_tools()).tools}
    check(WRITING <= tools and "match" in tools, tools)

    guide = await agent.read_resource("matching://guide/scores")
    check("0 to 1" in guide.contents[0].text, guide)

    found = await agent.call_tool("match", BRIEF)
    check(not found.is_error and "<profile_data>" in found.content[0].text, found)
    best = found.structured_content["matches"][0]
    freelancer = {"freelancer_id": best["profile_data"]["id"]}
    check(0 < best["score"] <= 1, best)

    explained = await agent.call_tool("explain", BRIEF | freelancer)
    check(explained.structured_content["rank"] == 1, explained)
    check(explained.structured_content["score"] == best["score"], explained, best)

    similar = await agent.call_tool("similar", freelancer | {"limit": 2})
    check(len(similar.structured_content["matches"]) == 2, similar)

    skill = await agent.call_tool("verify_skill", {"keyword": "ReactJS"})
    check(skill.structured_content["profile_data"]["skills"] == ["React"], skill)

    resume = await agent.call_tool("parse_resume", {"text": Path(os.environ["RESUME"]).read_text()})
    check(resume.structured_content["profile_data"]["name"], resume)

    event = {"type": "shown", "request_id": found.structured_content["request_id"]} | freelancer
    recorded = await agent.call_tool("record_event", event)
    check(recorded.structured_content["recorded"] + recorded.structured_content["duplicates"] == 1, recorded)

    record = {"name": "Mira Talden", "job_title": "Go developer", "skills": ["Go"]}
    put = await agent.call_tool("put_freelancer", {"freelancer_id": own, "freelancer": record})
    check(not put.is_error and put.structured_content["outcome"] == "created", put)
    got = await agent.call_tool("get_freelancer", {"freelancer_id": own})
    check(got.structured_content["profile_data"]["name"] == "Mira Talden", got)
    erased = await agent.call_tool("delete_freelancer", {"freelancer_id": own})
    check(erased.structured_content["outcome"] == "deleted", erased)

    fails(await agent.call_tool("get_freelancer", {"freelancer_id": own}), "freelancer_not_found")
    fails(await agent.call_tool("match", {}), "validation_failed")


async def over_http(key, script):
    async with httpx2.AsyncClient(headers={"Authorization": f"Bearer {key}"}, timeout=300) as http:
        async with Client(streamable_http_client(f"{URL}/mcp", http_client=http)) as agent:
            await script(agent, "agents/http")


async def over_stdio(key, script):
    server = StdioServerParameters(
        command=os.environ["SERVER"], args=["mcp", "-url", URL], env={"MATCHING_API_KEY": key}
    )
    async with Client(stdio_client(server)) as agent:
        await script(agent, "agents/stdio")


async def may_only_read(agent, _):
    tools = {tool.name for tool in (await agent.list_tools()).tools}
    check(not WRITING & tools and "get_freelancer" in tools, tools)


async def main():
    for connect in over_http, over_stdio:
        await connect(KEY, marketplace)
        await connect(os.environ["SMALL_KEY"], may_only_read)


asyncio.run(main())
