import { type Examples, NOWHERE } from '../../test/support/examples.js';
import { newSheet } from '../../test/support/factories.js';

const QUEUES = '/api/public/v2/review-queues';
const QUEUE = `${QUEUES}/{review_queue_id}`;
const ITEM = `${QUEUE}/items/{review_item_id}`;

export default {
  unknown: { review_queue_id: NOWHERE, review_item_id: NOWHERE },
  bodies: {
    [`POST ${QUEUES}`]: { name: 'Mine', subject: 'trace', rubric: { kind: 'thumbs' } },
    [`PATCH ${QUEUE}`]: { name: 'Mine' },
    [`POST ${QUEUE}/items`]: { filter_group: { filters: [] } },
    [`POST ${ITEM}/answer`]: { answer: true },
    [`POST ${ITEM}/decide`]: { answer: true },
  },
  async create({ me }) {
    const sheet = await newSheet(me, ['text', 'more text', 'yet more']);
    const given = { subject: 'row', sheet_id: sheet.id, rubric: { kind: 'thumbs' }, name: 'Texts' };
    const create = async () =>
      ((await me.post(QUEUES, given, 201)) as { review_queue: { id: string } }).review_queue.id;
    // A second queue, so that the list has more than one page.
    await create();
    const id = await create();
    await me.post(`${QUEUES}/${id}/items`, { filter_group: { filters: [] } });
    const { data } = (await me.get(`${QUEUES}/${id}/items`)) as { data: { id: string }[] };
    return { review_queue_id: id, review_item_id: data[0]!.id };
  },
} satisfies Examples;
