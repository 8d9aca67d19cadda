import { EXAMPLE_REPORT_TO_DELETE } from '../../platform/example-data.js';
import type { ApiClient } from '../api-client.js';

const DATASET = '/api/public/v2/dataset';

const ANSWERS = `question,answer
Where is my parcel?,It arrives on Monday.
May I send the lamp back?,"Yes, you get a refund within thirty days."
Is the lamp in stock?,"No, but it will be next week."
`;

const PIPELINE = {
  name: 'Refund answers',
  columns: [
    {
      column_type: 'CONTAINS',
      name: 'Says refund',
      configuration: { source: 'answer', value: 'refund' },
      is_part_of_score: true,
    },
    { column_type: 'COUNT', name: 'Words', configuration: { source: 'answer', type: 'words' } },
  ],
  external_ids: [{ source: 'crm', external_id: 'report-7' }],
};

/** Datasets and an evaluation of the older kind: one of the example calls, and one of a file with a run over it. */
export async function addDemoDatasets(client: ApiClient): Promise<void> {
  const calls = await addGroup(client, 'Refund questions', [{ source: 'crm', external_id: 'dataset-7' }]);
  await client.post(`${DATASET}-versions/from-filter-params`, {
    dataset_group_id: calls,
    filter_group: { filters: [] },
  });
  await untilPublished(client, calls);
  const answers = await addGroup(client, 'Answers', []);
  await client.post(`${DATASET}-versions/from-file`, {
    dataset_group_id: answers,
    file_name: 'answers.csv',
    file_content_base64: Buffer.from(ANSWERS).toString('base64'),
  });
  await untilPublished(client, answers);
  await addEvaluation(client, answers);
}

async function addGroup(client: ApiClient, name: string, external_ids: object[]): Promise<number> {
  const body = { name, external_ids };
  return (await client.post<{ dataset_group: { id: number } }>(`${DATASET}-groups`, body)).dataset_group.id;
}

function untilPublished(client: ApiClient, group: number): Promise<void> {
  return client.until(async () => {
    const path = `${DATASET}s?dataset_group_id=${group}`;
    const { datasets } = await client.get<{ datasets: { version_number: number }[] }>(path);
    return datasets.some(({ version_number: number }) => number === 1);
  });
}

/** A pipeline and two runs of it, which can be compared; and pipelines that may be deleted. */
async function addEvaluation(client: ApiClient, group: number): Promise<void> {
  const add = async (body: object) =>
    (await client.post<{ report_id: number }>('/reports', { dataset_group_id: group, ...body })).report_id;
  const pipeline = await add(PIPELINE);
  const run = async (name: string) => {
    const { report_id: id } = await client.post<{ report_id: number }>(`/reports/${pipeline}/run`, { name });
    await client.until(async () => (await client.get<{ status: string }>(`/reports/${id}`)).status === 'COMPLETED');
  };
  await run('The first run');
  await add({ name: 'An old pipeline' });
  await add({ name: EXAMPLE_REPORT_TO_DELETE });
  await run('The second run');
}
