import { truncate } from '../../llm/messages/json-text.js';
import { readableJson } from '../../llm/messages/readable-json.js';
import { setOwn } from '../../platform/json.js';
import { nestedMetadata } from '../../llm/records/nested-metadata.js';
import { SpanAttributes } from '../conventions/attributes.js';
import { readMetadata } from '../conventions/metadata.js';
import { readTags } from '../conventions/tags.js';
import { SPAN_STATUSES } from '../span.js';
import { scalarsOf } from './scalar-values.js';
import type { SpanFindings, Workflow } from './span-findings.js';
import { facet, keyedFacet, TraceFacets } from './trace-facets.js';
import type { TraceShape } from './trace-shape.js';
import type { SearchedSpan } from './spans-to-search.queries.js';

/** Characters of the inputs and outputs that lists show. */
const PREVIEW = 500;
/** Models, tools, prompts, workflows, tags and keys of metadata that are kept of one trace, of each so many. */
const MOST_VALUES = 500;
/** Characters of one value of metadata. */
const LONGEST_METADATA = 2000;

/** What a trace is found and listed by. */
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
  tags: string[];
  metadata: Record<string, string>;
  firstInput: string | null;
  lastOutput: string | null;
  facets: string[];
  facetsCut: boolean;
  /** The last thing in it; what the retention goes by. */
  lastNs: bigint;
}

/**
 * Collects what the spans of a trace tell about it. They must be added in the order of `byStart`, so that the outcome
 * does not depend on the order they arrived in. Where several spans tell different things, the earliest is right.
 */
export class TraceDigest {
  private readonly models = new Set<string>();
  private readonly tools = new Set<string>();
  private readonly promptIds = new Set<number>();
  private readonly promptVersions = new Set<string>();
  private readonly workflows = new Map<string, Workflow>();
  private readonly tags = new Set<string>();
  private readonly metadata: Record<string, string> = {};
  private readonly facets: TraceFacets;
  private lastNs = 0n;
  private firstInput: string | null = null;
  private last: { endNs: bigint; output: string } | null = null;
  private root: { name: string; status: number } | null = null;
  private failed = false;

  constructor(
    private readonly workspaceId: number,
    private readonly shape: TraceShape,
  ) {
    this.facets = new TraceFacets(workspaceId);
  }

  add(span: SearchedSpan, findings: SpanFindings, spanFacets: string[]): void {
    if (span.spanId === this.shape.rootSpanId) this.root = { name: span.name, status: span.status };
    this.failed ||= span.status === SPAN_STATUSES.ERROR;
    const ended = endOf(span);
    if (ended > this.lastNs) this.lastNs = ended;
    for (const entry of spanFacets) this.facets.add(entry);
    this.addValues(span, findings);
    this.addTexts(span, findings);
    this.addKeyed(span, findings);
    this.addContext(span);
  }

  toSummary(): TraceSummary {
    const { workspaceId, root } = this;
    const status = this.failed ? 'ERROR' : root?.status === SPAN_STATUSES.OK ? 'OK' : 'UNSET';
    this.facets.add(facet(workspaceId, 'trace-status', status));
    const userId = Object.hasOwn(this.metadata, 'user_id') ? this.metadata.user_id! : null;
    if (userId !== null) this.facets.add(facet(workspaceId, 'user', userId));
    return {
      rootSpanId: this.shape.rootSpanId,
      name: root?.name ?? '',
      status,
      depth: this.shape.depth,
      modelsUsed: [...this.models].sort(),
      toolNames: [...this.tools].sort(),
      promptIds: [...this.promptIds].sort((a, b) => a - b),
      promptVersions: [...this.promptVersions].sort(),
      workflows: [...this.workflows.values()],
      userId,
      tags: [...this.tags].sort(),
      metadata: this.metadata,
      firstInput: this.firstInput,
      lastOutput: this.last?.output ?? null,
      facets: this.facets.toList(),
      facetsCut: this.facets.cut,
      lastNs: this.lastNs,
    };
  }

  private addValues(
    { model, promptId, promptVersionNumber }: SearchedSpan,
    { toolName, workflow }: SpanFindings,
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

  private addTexts(span: SearchedSpan, { input, output }: SpanFindings): void {
    if (input) this.firstInput ??= truncate(input, PREVIEW);
    const ended = endOf(span);
    // A span that starts earlier contains those that end with it.
    if (output && (this.last === null || ended > this.last.endNs)) {
      this.last = { endNs: ended, output: truncate(output, PREVIEW) };
    }
  }

  private addKeyed({ attributes, resource }: SearchedSpan, findings: SpanFindings): void {
    const { workspaceId } = this;
    const put = (kind: 'a' | 'r' | 'v', key: string, values: string[]) => {
      for (const value of values) this.facets.add(keyedFacet(workspaceId, kind, { key, value }));
    };
    for (const key of Object.keys(attributes)) put('a', key, scalarsOf(attributes[key]!));
    for (const [key, values] of Object.entries(findings.attributesDeep ?? {})) put('a', key, values);
    for (const key of Object.keys(resource)) put('r', key, scalarsOf(resource[key]!));
    for (const [key, values] of Object.entries(findings.inputVariables ?? {})) put('v', key, values);
    for (const path of Object.keys(findings.outputValues ?? {}))
      this.facets.add(facet(workspaceId, 'output-key', path));
  }

  private addContext({ attributes: own, resource, call, added }: SearchedSpan): void {
    const attributes = SpanAttributes.from(own, resource);
    for (const tag of [...readTags(attributes), ...(call?.tags ?? [])]) {
      addUpTo(this.tags, tag);
      this.facets.add(facet(this.workspaceId, 'tag', tag));
    }
    // The first value of a key stays.
    for (const metadata of [added, readMetadata(attributes), call?.metadata ?? {}]) {
      for (const [key, value] of Object.entries(metadata)) this.addMetadata(key, value);
    }
  }

  private addMetadata(key: string, given: string): void {
    if (Object.hasOwn(this.metadata, key) || Object.keys(this.metadata).length >= MOST_VALUES) return;
    const value = truncate(readableJson(given), LONGEST_METADATA);
    setOwn(this.metadata, key, value);
    this.facets.add(facet(this.workspaceId, 'metadata-key', key));
    const values = [[key, value], ...nestedMetadata(key, value).values] as const;
    for (const [at, text] of values) this.facets.add(keyedFacet(this.workspaceId, 'm', { key: at, value: text }));
  }
}

/** A span that runs is as old as its beginning, and so is one that ended before it. */
function endOf({ startNs, endNs }: SearchedSpan): bigint {
  return endNs !== null && endNs > startNs ? endNs : startNs;
}

function addUpTo<T>(values: Set<T>, value: T): void {
  if (values.size < MOST_VALUES) values.add(value);
}
