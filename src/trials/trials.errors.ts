import { z } from 'zod';
import { defineErrors } from '../platform/errors/problem.js';

/** The log and the trace of a failed call. */
export interface LoggedFailure {
  requestId: number | null;
  traceId: string;
}

z.object({
  success: z.literal(false).meta({ description: 'Always false.' }),
  message: z.string().meta({ description: 'The message of the provider, with advice if there is any.' }),
  error: z.string().meta({ description: 'A stable error code for programs.', example: 'model_call_failed' }),
  request_id: z.int().nullable().meta({ description: 'The request log of the call; null if it could not be stored.' }),
  trace_id: z.string().meta({ description: 'The trace of the call.' }),
}).meta({ id: 'TrialFailureBody' });

const failed = (status: number, error: string) => ({
  status,
  message: (message: string, _log: LoggedFailure) => message,
  bodySchema: 'TrialFailureBody',
  body: (message: string, { requestId, traceId }: LoggedFailure) => ({
    success: false,
    message,
    error,
    request_id: requestId,
    trace_id: traceId,
  }),
});

export const TrialErrors = defineErrors({
  trial_model_missing: {
    status: 400,
    message: 'Neither the request nor the prompt names a model. Send model with provider and name.',
  },
  trial_credential_missing: { status: 400, message: (problem: string) => problem },
  trials_exceeded: {
    status: 429,
    message: (limit: number) =>
      `This workspace has ${limit} trials that wait for a model (TRIALS_PER_WORKSPACE). Try again when one of them has ended; to ask about many rows, use a sheet.`,
    headers: { 'retry-after': '2' },
  },
  trial_stopped: {
    status: 503,
    message: 'The server is stopping. The call was ended; please retry.',
    headers: { 'retry-after': '5' },
  },
  model_call_failed: failed(502, 'model_call_failed'),
  model_call_limited: { ...failed(429, 'model_call_limited'), headers: { 'retry-after': '10' } },
  model_call_timed_out: failed(504, 'model_call_timed_out'),
});

/** The errors of a call that was made. */
export const CALL_FAILURES = [
  TrialErrors.model_call_failed,
  TrialErrors.model_call_limited,
  TrialErrors.model_call_timed_out,
];
