import { setTimeout as pause } from 'node:timers/promises';
import { Injectable } from '@nestjs/common';
import { DataSource, type EntityManager } from 'typeorm';
import type { Caller } from '../../access/index.js';
import type { Prompt } from '../../llm/shared/blueprint.js';
import { ModelProviders } from '../../llm/index.js';
import { toNativeAnswer } from '../../llm/formats/native-answer.js';
import { Statement } from '../../platform/database/statement.js';
import { fitsJsonLimits } from '../../platform/json-limits.js';
import type { JsonObject, JsonValue } from '../../platform/json.js';
import { readJson } from '../../platform/read-json.js';
import { isoFromMilliseconds } from '../../platform/time.js';
import { outputText } from '../../llm/records/conversation.js';
import { LogStore, type StoredLog } from '../../requests/index.js';
import { timesOf } from '../shared/times.js';
import { payloadOf } from '../details/span-detail.js';
import { readSpanOutput } from '../search/span-findings.js';
import { canonicalSpanId, canonicalTraceId } from '../../trace-conventions/index.js';
import { readPlaces, readSpans, type SpanWithSource } from '../shared/trace-spans.queries.js';
import { TraceErrors } from '../shared/traces.errors.js';
import { nodesOf, type PlacedSpan, type SpanNode, treeOfSpan, treeOfTrace } from './span-tree.js';

/** A trace, or one span of it with the spans inside. */
export interface WantedTree {
  traceId: string;
  spanId: string | null;
}

export interface SpanTree {
  traceId: string;
  root: SpanNode;
  /** How long its root took; null while that runs. */
  latencyMs: number | null;
  /** The calls of models in it, by start time. */
  calls: StoredLog[];
}

interface ReadSpan extends PlacedSpan {
  durationMs: number | null;
  call: StoredLog | null;
}

/** Time to wait for a trace that does not exist yet: exporters may answer before their spans are stored. */
const PATIENCE_MS = 3000;
const LOOKS_APART_MS = 100;

/** Longest JSON of a tree, in characters, and how deep it may nest: those of a cell. */
const MAX_TREE = 10_000_000;
const LIMITS = { depth: 200, containers: 2_000_000 };

const HAS_ROOT = new Statement(
  'SELECT 1 FROM traces WHERE workspace_id = $1 AND trace_id = $2 AND root_span_id IS NOT NULL',
);
const HAS_SPAN = new Statement('SELECT 1 FROM spans WHERE workspace_id = $1 AND trace_id = $2 AND span_id = $3');

/** Traces as trees of spans with their calls of models, small enough for a cell of a sheet. */
@Injectable()
export class SpanTrees {
  constructor(
    private readonly db: DataSource,
    private readonly providers: ModelProviders,
  ) {}

  /** Waits some seconds for a trace that has not arrived. Throws trace_not_found, span_not_found, trace_too_large. */
  async get({ workspaceId }: Pick<Caller, 'workspaceId'>, wanted: WantedTree): Promise<SpanTree> {
    const traceId = canonicalTraceId(wanted.traceId);
    const spanId = wanted.spanId === null ? null : canonicalSpanId(wanted.spanId);
    await this.arrival(workspaceId, { traceId, spanId });
    return this.db.transaction('REPEATABLE READ', async (tx) => {
      const spans = await this.read(tx, { workspaceId, traceId });
      if (spans.length === 0) throw TraceErrors.trace_not_found(wanted.traceId);
      const root = spanId === null ? treeOfTrace(spans) : treeOfSpan(spans, spanId);
      if (!root) throw TraceErrors.span_not_found(wanted.spanId!, wanted.traceId);
      requireFitting(root, traceId);
      const byNode = new Map(spans.map((span) => [span.node, span]));
      const calls = nodesOf(root).flatMap((node) => byNode.get(node)!.call ?? []);
      return { traceId, root, latencyMs: byNode.get(root)!.durationMs, calls };
    });
  }

  /** A trace has arrived when a span without a parent has: it ends last. */
  private async arrival(workspaceId: number, { traceId, spanId }: WantedTree): Promise<void> {
    const look = () =>
      spanId === null
        ? HAS_ROOT.run(this.db.manager, [workspaceId, traceId])
        : HAS_SPAN.run(this.db.manager, [workspaceId, traceId, spanId]);
    const end = performance.now() + PATIENCE_MS;
    while ((await look()).length === 0 && performance.now() < end) await pause(LOOKS_APART_MS);
  }

  /** All spans of a trace by start time, not below each other yet. */
  private async read(tx: EntityManager, trace: { workspaceId: number; traceId: string }): Promise<ReadSpan[]> {
    const { workspaceId, traceId } = trace;
    const spans: ReadSpan[] = [];
    const room = new Room(traceId);
    for await (const piece of readSpans(tx, trace, await readPlaces(tx, workspaceId, traceId))) {
      for (const { span } of piece) room.take(span.attributes.length);
      const ids = piece.flatMap(({ span }) => (span.request_log_id === null ? [] : Number(span.request_log_id)));
      const logs = await readLogs(tx, workspaceId, ids, room);
      const byId = new Map(logs.map((log) => [String(log.id), log]));
      for (const { span, source } of piece) {
        const call = byId.get(span.request_log_id ?? '') ?? null;
        const { duration_ms: durationMs } = timesOf(span.start_ns, span.end_ns);
        spans.push({ node: this.toNode({ span, source }, call), parentId: span.parent_id, durationMs, call });
      }
    }
    return spans;
  }

  private toNode({ span, source }: SpanWithSource, log: StoredLog | null): SpanNode {
    const payload = payloadOf({ span, source });
    const { start_time, end_time } = timesOf(span.start_ns, span.end_ns);
    const output = readSpanOutput(payload);
    return {
      name: span.name,
      span_id: span.span_id,
      start: start_time,
      end: end_time,
      output: output ?? (log && (outputText(readJson<Prompt>(log.call.output)) || null)),
      attributes: payload.attributes,
      request_log: log && this.toLog(log),
      children: [],
    };
  }

  /** A log in the format of the vendor's client: with arguments and answer. */
  private toLog({ id, price, startMs, endMs, call }: StoredLog): JsonObject {
    const { provider, model, apiType, parameters } = call;
    const [input, output] = [call.input, call.output].map((text) => readJson<Prompt>(text));
    const kwargsOf = (prompt: Prompt, given: JsonObject) =>
      this.providers.kwargs(provider, { prompt, model, apiType, parameters: given });
    return {
      id,
      provider_type: provider,
      engine: model,
      function_name: call.functionName,
      function_kwargs: kwargsOf(input!, parameters),
      request_response: toNativeAnswer({ provider, model }, kwargsOf(output!, {})),
      request_start_time: isoFromMilliseconds(startMs),
      request_end_time: isoFromMilliseconds(endMs),
      status: call.status,
      error_message: call.errorMessage,
      price,
      input_tokens: call.usage.input,
      output_tokens: call.usage.output,
    } satisfies Record<string, JsonValue>;
  }
}

/** Remaining size of a tree while it is read: a tree that cannot fit must not fill the memory first. */
class Room {
  private left = MAX_TREE;

  constructor(private readonly traceId: string) {}

  take(characters: number): void {
    this.left -= characters;
    this.require(0);
  }

  require(characters: number): void {
    if (characters > this.left) throw tooLarge(this.traceId);
  }
}

/** Sizes on disk are known before logs are read, and are usually smaller than those of their texts. */
async function readLogs(tx: EntityManager, workspaceId: number, ids: number[], room: Room): Promise<StoredLog[]> {
  if (ids.length === 0) return [];
  const sizes = await LogStore.readSizes(tx, workspaceId, ids);
  room.require([...sizes.values()].reduce((sum, size) => sum + size, 0));
  const logs = await LogStore.read(
    tx,
    ids.map((id) => ({ workspaceId, id })),
  );
  for (const { call } of logs) room.take(call.input.length + call.output.length);
  return logs;
}

function requireFitting(root: SpanNode, traceId: string): void {
  let json: string;
  try {
    json = JSON.stringify(root);
  } catch {
    // Thousands of spans inside each other.
    throw tooLarge(traceId);
  }
  if (json.length > MAX_TREE || !fitsJsonLimits(json, LIMITS)) throw tooLarge(traceId);
}

const tooLarge = (traceId: string) => TraceErrors.trace_too_large(traceId, MAX_TREE);
