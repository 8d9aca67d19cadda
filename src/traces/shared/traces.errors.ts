import { z } from 'zod';
import { defineErrors } from '../../platform/errors/problem.js';

const ALREADY_CLOSED = 'Trace already closed';

z.object({
  error: z.string().meta({
    description: 'A sentence that names the closed traces.',
    example: 'Trace already closed: 4bf92f3577b34da6a3ce929d0e0e4736',
  }),
  trace_ids: z.array(z.string()).meta({ description: 'The ids of the traces that are closed.' }),
}).meta({ id: 'TraceClosedBody' });

export const TraceErrors = defineErrors({
  trace_not_found: { status: 404, message: (id: string) => `Trace ${id} was not found in this workspace.` },
  span_not_found: {
    status: 404,
    message: (span: string, trace: string) => `Span ${span} was not found in trace ${trace}.`,
  },
  trace_session_not_found: {
    status: 404,
    message: (id: string) => `There is no session ${id}: no trace of this workspace has it.`,
  },
  end_user_not_found: {
    status: 404,
    message: (id: string) => `There is no user ${id}: no request and no session of this workspace names it.`,
  },
  trace_too_large: {
    status: 400,
    message: (id: string, limit: number) =>
      `Trace ${id} is too large for a cell: as a tree with its calls it has more than ${limit} characters or nests too deeply. Give the span_id of a part of it.`,
  },
  receipt_not_found: {
    status: 404,
    message: (id: string) => `Receipt ${id} was not found in this workspace. Receipts are kept for some days only.`,
  },
  spans_refused: {
    status: 400,
    message: (reason: string) => `None of the spans were stored: ${reason}`,
  },
  trace_closed: {
    status: 409,
    message: (ids: string[]) => closedText(ids),
    bodySchema: 'TraceClosedBody',
    // The body that OTLP exporters of the existing API are written against.
    body: (ids: string[]) => ({ error: closedText(ids), trace_ids: ids }),
  },
  trace_already_closed: {
    status: 409,
    message: ALREADY_CLOSED,
    body: () => ({ success: false, message: ALREADY_CLOSED, error: ALREADY_CLOSED }),
  },
  otlp_unreadable: { status: 400, message: (reason: string) => `The body could not be decoded: ${reason}` },
  otlp_media_type_unsupported: {
    status: 415,
    message: (given: string) =>
      `The content type "${given}" is not supported. Send application/x-protobuf or application/json.`,
  },
});

function closedText(ids: string[]): string {
  return `Trace already closed: ${ids.join(', ')}`;
}
