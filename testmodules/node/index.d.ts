/** The image that start runs, unless MATCHING_TEST_IMAGE or an option names another one. */
export const image: string;
/** The program that start runs without a container engine, unless MATCHING_TEST_BINARY names another one. */
export const program: string;
export const freelancerKey: string;
export const professionalKey: string;
export const enterpriseKey: string;

/** What the scripted language model does for one call: exactly one of level, json and status. */
export interface Reply {
  task?: "interview-answer" | "interview-questions" | "skill-verdict";
  when?: string;
  level?: 1 | 2 | 3 | 4 | 5;
  json?: object;
  status?: number;
}

/** A service in test mode. */
export class MatchingService {
  private constructor();
  /** Without a slash at the end. */
  readonly url: string;
  /** Of the plan enterprise. */
  readonly key: string;
  /** Starts a service, and resolves when it is ready. */
  static start(options?: { image?: string }): Promise<MatchingService>;
  /** Stops the service. All of its data is lost. */
  stop(): Promise<void>;
  [Symbol.asyncDispose](): Promise<void>;
  /** Returns to the state after the start. */
  reset(): Promise<void>;
  /** Replaces all freelancers by n generated ones. The same seed gives the same. */
  seed(n: number, seed?: number): Promise<void>;
  /** Replaces all freelancers. */
  load(freelancers: object[]): Promise<void>;
  /** Advances the clock by a duration such as 90s, 48h or 30d. */
  advance(duration: string): Promise<void>;
  setClock(to: Date): Promise<void>;
  /** Lets the next calls fail, or all if times is 0: with 429, 503, 500, slow=2s or drop. */
  fail(fault: string, times?: number): Promise<void>;
  /** Ends what fail began. */
  recover(): Promise<void>;
  /** Says whether the limits of plans apply. */
  enforceQuota(enforced?: boolean): Promise<void>;
  /** Replaces the script of the language model. */
  script(...replies: Reply[]): Promise<void>;
}
