import { type Examples, NOWHERE } from '../../test/support/examples.js';
import { llmSpan, logCall, send } from '../../test/support/otlp.js';

const TRACE = '4bf92f3577b34da6a3ce929d0e0e4736';
const SPAN = '00f067aa0ba902b7';
const SESSION = 'chat/1001 木';
const USER = 'ada@example.com';

export default {
  unknown: {
    trace_id: 'f'.repeat(32),
    span_id: 'f'.repeat(16),
    receipt_id: NOWHERE,
    session_id: 'no/such',
    end_user_id: 'no/such',
  },
  async create({ me }) {
    await logCall(me, {}, { traceId: TRACE, spanId: SPAN });
    const { headers } = await send(me, [llmSpan({ more: { 'session.id': SESSION, 'user.id': USER } })]);
    return {
      trace_id: TRACE,
      span_id: SPAN,
      receipt_id: String(headers['x-ingest-receipt']),
      session_id: SESSION,
      end_user_id: USER,
    };
  },
} satisfies Examples;
