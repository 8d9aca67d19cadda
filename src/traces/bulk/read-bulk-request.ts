import { PlatformErrors } from '../../platform/errors/platform.errors.js';
import { ValidationProblem } from '../../platform/errors/problem.js';
import { toDetails } from '../../platform/http/schema-field.js';
import { fitsJsonLimits } from '../../platform/json-limits.js';
import { mayHoldUnsafeText, safeJson } from '../../platform/safe-text.js';
import { quoteLongIntegers } from '../otlp/exact-integers.js';
import { type BulkRequest, bulkRequest } from './bulk-spans.schema.js';

/** The depth of all bodies; ingestion brings more values than others. */
const LIMITS = { depth: 64, containers: 5_000_000 };
/** More faults than this do not help anybody. */
const FAULTS_SHOWN = 50;

/**
 * Reads the body of a bulk request. Nanoseconds keep all their digits; text that cannot be stored is replaced, which
 * `sanitized` tells. Throws 400 when it is no JSON, 422 with every fault when it does not fit the schema.
 */
export function readBulkRequest(body: Buffer): { request: BulkRequest; sanitized: boolean } {
  const json = body.toString('utf8');
  if (!fitsJsonLimits(json, LIMITS)) throw PlatformErrors.json_too_deep(LIMITS.depth);
  const sanitized = mayHoldUnsafeText(json);
  const value = parse(quoteLongIntegers(json));
  const parsed = bulkRequest.safeParse(sanitized ? safeJson(value) : value);
  if (!parsed.success) throw new ValidationProblem(toDetails(parsed.error, ['body']).slice(0, FAULTS_SHOWN));
  return { request: parsed.data, sanitized };
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
