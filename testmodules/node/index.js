// Starts the freelancer matching service in test mode: in a container or, without a container engine, as a program.
import { spawn } from "node:child_process";
import { access, constants, mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { delimiter, join } from "node:path";
import { createInterface } from "node:readline";

export const image = "freelancer-matching:local";
export const program = "matching-server";
export const freelancerKey = "svc_fr_test000000000000000000000000004EuxCR";
export const professionalKey = "svc_pr_test000000000000000000000000002UtNWJ";
export const enterpriseKey = "svc_ent_test000000000000000000000000001rTwEG";

const port = 8080;
const startMilliseconds = 120_000;
const callMilliseconds = 60_000;

export class MatchingService {
  #stop;

  constructor(url, stop) {
    this.url = url;
    this.key = enterpriseKey;
    this.#stop = stop;
  }

  // MATCHING_TEST_BINARY, the path of the program, takes precedence over a container.
  static async start(options = {}) {
    const binary = process.env.MATCHING_TEST_BINARY || ((await hasEngine()) ? "" : await find(program));
    if (binary === undefined) {
      throw new Error(
        `there is neither a container engine nor the program ${program}; set MATCHING_TEST_BINARY to its path`);
    }
    return binary ? startProgram(binary) : startContainer(options.image ?? process.env.MATCHING_TEST_IMAGE ?? image);
  }

  stop() { return this.#stop(); }

  [Symbol.asyncDispose]() { return this.stop(); }

  reset() { return this.#control("POST", "/test/reset"); }

  seed(n, seed = 1) { return this.#control("PUT", `/test/data?n=${n}&seed=${seed}`); }

  load(freelancers) {
    return this.#control("PUT", "/test/data", freelancers.map((one) => JSON.stringify(one)).join("\n"));
  }

  advance(duration) { return this.#control("POST", "/test/clock", { advance: duration }); }

  setClock(to) { return this.#control("POST", "/test/clock", { set: to.toISOString() }); }

  fail(fault, times = 0) { return this.#control("POST", "/test/faults", { fault, times }); }

  recover() { return this.#control("DELETE", "/test/faults"); }

  enforceQuota(enforced = true) { return this.#control("PUT", "/test/quota", { enforced }); }

  script(...replies) { return this.#control("PUT", "/test/llm", { replies }); }

  async #control(method, path, body) {
    const text = body === undefined || typeof body === "string" ? body : JSON.stringify(body);
    const signal = AbortSignal.timeout(callMilliseconds);
    const response = await fetch(this.url + path, { method, body: text, signal });
    const answer = await response.text();
    if (!response.ok) {
      throw new Error(`${method} ${path}: ${response.status}: ${answer}`);
    }
  }
}

async function hasEngine() {
  const { getContainerRuntimeClient } = await import("testcontainers");
  try {
    await getContainerRuntimeClient();
    return true;
  } catch {
    return false;
  }
}

async function startContainer(name) {
  const { GenericContainer, Wait } = await import("testcontainers");
  const container = await new GenericContainer(name)
    .withCommand(["-test", "-insecure-http"])
    .withExposedPorts(port)
    .withWaitStrategy(Wait.forHttp("/readyz", port))
    .withStartupTimeout(startMilliseconds)
    .start();
  const url = `http://${container.getHost()}:${container.getMappedPort(port)}`;
  return new MatchingService(url, () => container.stop());
}

async function startProgram(binary) {
  const folder = await mkdtemp(join(tmpdir(), "matching-"));
  const args = ["-test", "-addr", "127.0.0.1:0", "-data", folder];
  const child = spawn(binary, args, { stdio: ["ignore", "pipe", "pipe"] });
  let log = "";
  child.stderr.on("data", (part) => { log = (log + part).slice(-65536); });
  const ended = new Promise((resolve) => {
    child.once("error", (error) => { log += error.message; resolve(); });
    child.once("close", resolve);
  });

  const ready = new Promise((resolve) => {
    createInterface({ input: child.stdout }).on("line", (line) => {
      if (line.startsWith("Ready on ")) resolve(line.slice("Ready on ".length));
    });
  });
  const timer = setTimeout(() => child.kill("SIGKILL"), startMilliseconds);
  const url = await Promise.race([ready, ended]);
  clearTimeout(timer);

  const stop = async () => {
    child.kill("SIGTERM");
    await ended;
    await rm(folder, { recursive: true, force: true });
  };
  if (!url) {
    await stop();
    throw new Error(`${binary} has ended: ${log}`);
  }
  return new MatchingService(url, stop);
}

// find returns the path of a program in PATH, or undefined.
async function find(name) {
  for (const folder of (process.env.PATH ?? "").split(delimiter)) {
    const path = join(folder, name);
    try {
      await access(path, constants.X_OK);
      return path;
    } catch {
      // It may be in another folder.
    }
  }
  return undefined;
}
