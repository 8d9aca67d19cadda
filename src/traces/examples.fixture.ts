import { type Examples, NOWHERE } from '../../test/support/examples.js';
import { logCall, send, span } from '../../test/support/otlp.js';

const TRACE = '4bf92f3577b34da6a3ce929d0e0e4736';

export default {
  unknown: { trace_id: 'f'.repeat(32), receipt_id: NOWHERE },
  async create({ me }) {
    await logCall(me, {}, { traceId: TRACE });
    const { headers } = await send(me, [span()]);
    return { trace_id: TRACE, receipt_id: String(headers['x-ingest-receipt']) };
  },
} satisfies Examples;
