import { truncate } from '../../llm/messages/json-text.js';
import { readableJson } from '../../llm/messages/readable-json.js';
import { setOwn } from '../../platform/json.js';
import { SPAN_STATUSES } from '../../trace-conventions/index.js';
import type { ListedFindings, Workflow } from './span-findings.js';
import type { SearchedSpan } from './spans-to-search.queries.js';
import type { TraceShape } from './trace-shape.js';

/** Characters of the inputs and outputs that lists show. */
const PREVIEW = 500;
/**
 * Limit for each kind of value that is kept of one trace: models, tools, prompts, workflows, tags and keys of metadata.
 */
const MOST_VALUES = 500;
/** Characters of one value of metadata. */
const LONGEST_METADATA = 2000;

/** Characters of the id of a session. */
const LONGEST_SESSION = 1000;

/** Facts that a trace is listed by. */
export interface TraceSummary {
  rootSpanId: string;
  name: string;
  status: 'OK' | 'ERROR' | 'UNSET';
  depth: number;
  modelsUsed: string[];
  toolNames: string[];
  promptIds: number[];
  promptVersions: string[];
  workflows: Workflow[];
  userId: string | null;
  sessionId: string | null;
  tags: string[];
  metadata: Record<string, string>;
  firstInput: string | null;
  lastOutput: string | null;
  /** The beginning of the message of the earliest failed span that has one. */
  errorMessage: string | null;
  /** Time of the latest event in the trace; retention uses it. */
  lastNs: bigint;
}

/** A span that was read, and the facts found in it. */
export interface ReadSpan<Findings extends ListedFindings = ListedFindings> {
  span: SearchedSpan;
  findings: Findings;
}

/**
 * Collects facts about a trace from its spans. Spans must be added in the order of `byStart`, so the result does not
 * depend on the order of arrival. Where spans disagree, the earliest wins.
 */
export class TraceDigest {
  private readonly models = new Set<string>();
  private readonly tools = new Set<string>();
  private readonly promptIds = new Set<number>();
  private readonly promptVersions = new Set<string>();
  private readonly workflows = new Map<string, Workflow>();
  private readonly tags = new Set<string>();
  private readonly metadata: Record<string, string> = {};
  private lastNs = 0n;
  private firstInput: string | null = null;
  private last: { endNs: bigint; output: string } | null = null;
  private root: { name: string; status: number } | null = null;
  private failed = false;
  private errorMessage: string | null = null;

  constructor(private readonly shape: Pick<TraceShape, 'rootSpanId' | 'depth'>) {}

  /** The next spans. The more are added at once, the fewer of their outputs are read. */
  add(spans: readonly ReadSpan[]): void {
    for (const { span, findings } of spans) {
      if (span.spanId === this.shape.rootSpanId) this.root = { name: span.name, status: span.status };
      this.addStatus(span);
      const ended = endOf(span);
      if (ended > this.lastNs) this.lastNs = ended;
      this.addValues(span, findings);
      this.addContext(span, findings);
      if (this.firstInput === null) this.firstInput = preview(findings.input);
    }
    this.addOutputs(spans);
  }

  toSummary(): TraceSummary {
    const { root } = this;
    return {
      rootSpanId: this.shape.rootSpanId,
      name: root?.name ?? '',
      status: this.failed ? 'ERROR' : root?.status === SPAN_STATUSES.OK ? 'OK' : 'UNSET',
      depth: this.shape.depth,
      modelsUsed: [...this.models].sort(),
      toolNames: [...this.tools].sort(),
      promptIds: [...this.promptIds].sort((a, b) => a - b),
      promptVersions: [...this.promptVersions].sort(),
      workflows: [...this.workflows.values()],
      userId: Object.hasOwn(this.metadata, 'user_id') ? this.metadata.user_id! : null,
      sessionId: sessionOf(this.metadata),
      tags: [...this.tags].sort(),
      metadata: this.metadata,
      firstInput: this.firstInput,
      lastOutput: this.last?.output ?? null,
      errorMessage: this.errorMessage,
      lastNs: this.lastNs,
    };
  }

  private addStatus({ status, statusMessage }: SearchedSpan): void {
    if (status !== SPAN_STATUSES.ERROR) return;
    this.failed = true;
    this.errorMessage ??= preview(statusMessage);
  }

  private addValues(
    { model, promptId, promptVersionNumber }: SearchedSpan,
    { toolName, workflow }: ListedFindings,
  ): void {
    if (model !== null) addUpTo(this.models, model);
    if (toolName !== null) addUpTo(this.tools, toolName);
    if (promptId !== null) addUpTo(this.promptIds, promptId);
    if (promptId !== null && promptVersionNumber !== null) {
      addUpTo(this.promptVersions, `${promptId}:${promptVersionNumber}`);
    }
    if (workflow === null) return;
    const key = JSON.stringify([workflow.id, workflow.version]);
    if (!this.workflows.has(key) && this.workflows.size < MOST_VALUES) this.workflows.set(key, workflow);
  }

  private addContext({ call, added }: SearchedSpan, findings: ListedFindings): void {
    for (const tag of tagsOf(call, findings)) addUpTo(this.tags, tag);
    // The first value of a key wins.
    for (const metadata of [added, findings.metadata, call?.metadata ?? {}]) {
      for (const [key, value] of Object.entries(metadata)) this.addMetadata(key, value);
    }
  }

  private addMetadata(key: string, given: string): void {
    if (Object.hasOwn(this.metadata, key) || Object.keys(this.metadata).length >= MOST_VALUES) return;
    setOwn(this.metadata, key, truncate(readableJson(given), LONGEST_METADATA));
  }

  /**
   * The output of the span that ends last, among those with an output. A span that starts earlier contains those that
   * end with it.
   */
  private addOutputs(spans: readonly ReadSpan[]): void {
    for (const { span, findings } of spans.toSorted((a, b) => laterEndFirst(a.span, b.span))) {
      const endNs = endOf(span);
      if (this.last !== null && endNs <= this.last.endNs) return;
      const output = preview(findings.output);
      if (output === null) continue;
      this.last = { endNs, output };
      return;
    }
  }
}

/**
 * Conventions provide the session as `conversation_id`. Other senders may have it in their metadata as `session_id`.
 */
function sessionOf(metadata: Record<string, string>): string | null {
  const given = ['conversation_id', 'session_id'].map((key) => (Object.hasOwn(metadata, key) ? metadata[key]! : ''));
  const id = given.find((text) => text.trim() !== '');
  return id === undefined ? null : truncate(id, LONGEST_SESSION);
}

/** The tags that a span and the call beside it have. */
export const tagsOf = (call: SearchedSpan['call'], { tags }: ListedFindings): string[] => [
  ...tags,
  ...(call?.tags ?? []),
];

const preview = (text: string | null): string | null => (text ? truncate(text, PREVIEW) : null);

function laterEndFirst(a: SearchedSpan, b: SearchedSpan): number {
  const [first, second] = [endOf(a), endOf(b)];
  return first > second ? -1 : first < second ? 1 : 0;
}

/** A running span is as old as its start, and so is one that ended before its start. */
function endOf({ startNs, endNs }: SearchedSpan): bigint {
  return endNs !== null && endNs > startNs ? endNs : startNs;
}

function addUpTo<T>(values: Set<T>, value: T): void {
  if (values.size < MOST_VALUES) values.add(value);
}
