import { type Examples, NOWHERE } from '../../test/support/examples.js';
import { logCall } from '../../test/support/otlp.js';
import { until } from '../../test/support/until.js';

const FEEDS = '/api/public/v2/tables/{table_id}/sheets/{sheet_id}/feeds';
const ALL = { source: 'requests', filter_group: { filters: [] }, rows_per_day: 100 };

export default {
  unknown: { feed_id: NOWHERE },
  bodies: {
    [`POST ${FEEDS}`]: { name: 'Mine', ...ALL },
    [`POST ${FEEDS}/plan`]: ALL,
    [`PATCH ${FEEDS}/{feed_id}`]: { name: 'Mine' },
  },
  queries: { [`GET ${FEEDS}/{feed_id}/decisions`]: '?request_id=1' },
  async create({ me }, { table_id: table, sheet_id: sheet }) {
    const path = `/api/public/v2/tables/${table}/sheets/${sheet}/feeds`;
    // Chooses no items, because rows that arrive later would disturb tests that count rows.
    const body = { name: 'Mine', ...ALL, sample_rate: 0 };
    const create = async () => ((await me.post(path, body, 201)) as { feed: { id: string } }).feed.id;
    // A second feed, so that the list has more than one page.
    await create();
    const id = await create();
    await logCall(me);
    await until(async () => ((await me.get(`${path}/${id}/hours`)) as { data: unknown[] }).data.length > 0);
    return { feed_id: id };
  },
} satisfies Examples;
