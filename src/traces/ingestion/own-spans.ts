import { randomUUID } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import { operatorIn } from '../../access/index.js';
import type { JsonObject } from '../../platform/json.js';
import type { LlmCall } from '../../llm/records/llm-call.js';
import { type Origin, ORIGINS } from '../../llm/records/origin.js';
import {
  DecodedAttributes,
  type NormalizedSpan,
  SPAN_KINDS,
  SPAN_STATUSES,
  type SpanSource,
} from '../../trace-conventions/index.js';
import { ORIGIN_ATTRIBUTE } from '../shared/source-facts.js';
import { IngestionService } from './ingestion.service.js';

/** A span of work that the server does itself. Times are milliseconds since the epoch. */
export interface OwnSpan {
  traceId: string;
  spanId: string;
  parentId: string | null;
  name: string;
  startMs: number;
  endMs: number;
  /** Why it failed; null when it did not. */
  error: string | null;
  attributes: JsonObject;
  /** The call of a model that it is: a request log is stored with the span. */
  call: LlmCall | null;
}

/** The owner of the work. */
export interface OwnWork {
  workspaceId: number;
  origin: Origin;
}

const sourceOf = (origin: Origin): SpanSource => ({
  resource: { attributes: { 'service.name': 'tracesheet', [ORIGIN_ATTRIBUTE]: origin }, schemaUrl: '' },
  scope: { name: 'tracesheet', version: '', attributes: {} },
});
/** One source per origin, so each is hashed once. */
const SOURCES = new Map(ORIGINS.map((origin) => [origin, sourceOf(origin)]));

/** Stores spans of the server's own work. */
@Injectable()
export class OwnSpans {
  constructor(private readonly ingestion: IngestionService) {}

  /** Resolves after the commit, with the id of the request log of each span: null for spans that are no call. */
  async store({ workspaceId, origin }: OwnWork, spans: OwnSpan[]): Promise<(number | null)[]> {
    const bytes = spans.reduce((sum, span) => sum + sizeOf(span), 0);
    const source = SOURCES.get(origin)!;
    const known = spans.map((span) => ({
      span: toNormalizedSpan(span, source),
      spanType: typeOf(span),
      call: span.call,
    }));
    const { outcomes } = await this.ingestion.ingestOwn(operatorIn(workspaceId, randomUUID()), known, bytes);
    return outcomes.map((outcome) => ('requestLogId' in outcome ? outcome.requestLogId : null));
  }
}

/** The span type that would be read from its attributes. */
function typeOf({ attributes, call }: OwnSpan): string {
  if (call) return 'LLM_CALL';
  if (typeof attributes.node_type === 'string') return attributes.node_type;
  return 'gen_ai.tool.name' in attributes ? 'TOOL' : 'CODE_EXECUTION';
}

function sizeOf({ attributes, call }: OwnSpan): number {
  return JSON.stringify(attributes).length + (call ? JSON.stringify([call.input, call.output]).length : 0);
}

function toNormalizedSpan({ call, ...span }: OwnSpan, source: SpanSource): NormalizedSpan {
  const { traceId, spanId, parentId, name, error, attributes } = span;
  return {
    traceId,
    spanId,
    parentId,
    traceState: '',
    name,
    kind: call ? SPAN_KINDS.CLIENT : SPAN_KINDS.INTERNAL,
    startNs: toNs(span.startMs),
    endNs: toNs(span.endMs),
    statusCode: error === null ? SPAN_STATUSES.OK : SPAN_STATUSES.ERROR,
    statusMessage: error,
    attributes: new DecodedAttributes(attributes),
    events: [],
    links: [],
    source,
    sanitized: false,
  };
}

const toNs = (ms: number): bigint => BigInt(Math.round(ms * 1000)) * 1000n;
