import { ValidationProblem } from '../../platform/errors/problem.js';
import { TraceErrors } from '../shared/traces.errors.js';
import type { OtlpFormat } from './decode.js';
import { InvalidEnvelope, UnreadableBody } from './otlp.errors.js';

const FORMATS: Record<string, OtlpFormat> = { 'application/json': 'json', 'application/x-protobuf': 'protobuf' };

/** Throws otlp_media_type_unsupported. */
export function formatOf(contentType = ''): OtlpFormat {
  const format = FORMATS[contentType.split(';')[0]!.trim().toLowerCase()];
  if (!format) throw TraceErrors.otlp_media_type_unsupported(contentType);
  return format;
}

/** The result of `decode`; throws otlp_unreadable and ValidationProblem. */
export function decodeOrRefuse<T>(decode: () => T): T {
  try {
    return decode();
  } catch (error) {
    if (error instanceof UnreadableBody) throw TraceErrors.otlp_unreadable(error.message);
    if (error instanceof InvalidEnvelope) throw new ValidationProblem(error.problems);
    throw error;
  }
}
