import { type Examples, NOWHERE } from '../../test/support/examples.js';

const MONITORS = '/api/public/v2/monitors';
const FAILURES = { measure: 'failed_share', rule: 'limit', limit: 0.2 };

export default {
  unknown: { monitor_id: NOWHERE },
  bodies: {
    [`POST ${MONITORS}`]: { name: 'Failures', ...FAILURES },
    [`POST ${MONITORS}/preview`]: FAILURES,
    [`PATCH ${MONITORS}/{monitor_id}`]: { state: 'paused' },
  },
  async create({ me }) {
    const { monitor } = (await me.post(MONITORS, { name: 'Failures', ...FAILURES }, 201)) as {
      monitor: { id: string };
    };
    return { monitor_id: monitor.id };
  },
} satisfies Examples;
