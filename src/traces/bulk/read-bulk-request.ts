import { PlatformErrors } from '../../platform/errors/platform.errors.js';
import { ValidationProblem } from '../../platform/errors/problem.js';
import { quoteLongIntegers } from '../../platform/exact-integers.js';
import { parseWith, toDetails } from '../../platform/http/schema-field.js';
import { fitsJsonLimits } from '../../platform/json-limits.js';
import { holdsUnsafeText, mayHoldUnsafeText, safeJson } from '../../platform/safe-text.js';
import { type BulkRequest, bulkRequest } from './bulk-spans.schema.js';

/** The depth of all bodies; ingestion brings more values than others. */
const LIMITS = { depth: 64, containers: 5_000_000 };
/** Limit of reported faults. */
const FAULTS_SHOWN = 50;

export interface ReadBulkRequest {
  request: BulkRequest;
  /** Whether text of a span, by its place in the request, had to be replaced. */
  isSanitized: (at: number) => boolean;
}

/**
 * Reads the body of a bulk request. Nanoseconds keep all their digits; text that cannot be stored is replaced. Throws 400
 * when it is no JSON, 422 with its faults when it does not fit the schema.
 */
export function readBulkRequest(body: Buffer): ReadBulkRequest {
  const json = body.toString('utf8');
  if (!fitsJsonLimits(json, LIMITS)) throw PlatformErrors.json_too_deep(LIMITS.depth);
  const value = parse(quoteLongIntegers(json));
  const isUnsafe = mayHoldUnsafeText(json) && holdsUnsafeText(value);
  const parsed = parseWith(bulkRequest, isUnsafe ? safeJson(value) : value);
  if (!parsed.success) throw new ValidationProblem(toDetails(parsed.error, ['body']).slice(0, FAULTS_SHOWN));
  const { spans } = value as { spans: unknown[] };
  return { request: parsed.data, isSanitized: (at) => isUnsafe && holdsUnsafeText(spans[at]) };
}

/** An empty body is an object without fields. */
function parse(json: string): unknown {
  if (json === '') return {};
  try {
    return JSON.parse(json);
  } catch {
    throw PlatformErrors.json_unreadable();
  }
}
