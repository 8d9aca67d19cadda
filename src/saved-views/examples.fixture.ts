import { type Examples, NOWHERE } from '../../test/support/examples.js';

const VIEWS = '/api/public/v2/saved-views';
let views = 0;

export default {
  unknown: { saved_view_id: NOWHERE },
  bodies: {
    [`POST ${VIEWS}`]: { screen: 'requests', name: 'Mine', query: { status: 'ERROR' } },
    [`PATCH ${VIEWS}/{saved_view_id}`]: { query: { days: '7' } },
  },
  async create({ me }) {
    const body = { screen: 'traces', name: `Failures ${++views}`, query: { status: 'ERROR' } };
    const { saved_view: view } = (await me.post(VIEWS, body, 201)) as { saved_view: { id: string } };
    return { saved_view_id: view.id };
  },
} satisfies Examples;
