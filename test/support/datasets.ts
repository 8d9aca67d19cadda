import type { Answer, Client } from './client.js';
import { until } from './until.js';

export const DATASETS = '/api/public/v2/datasets';
export const GROUPS = '/api/public/v2/dataset-groups';
export const VERSIONS = '/api/public/v2/dataset-versions';

export interface Dataset {
  id: number;
  dataset_group_id: number;
  version_number: number;
  column_names: string[];
  filter_params: Record<string, unknown> | null;
  is_deleted: boolean;
  user_id: number;
  dataset_group: { id: number; name: string; workspace_id: number; is_deleted: boolean };
  external_ids: { source: string; external_id: string }[];
}

export interface DatasetList {
  datasets: Dataset[];
  page: number;
  per_page: number;
  pages: number;
  total: number;
}

export interface DatasetRows {
  columns: string[];
  rows: { type: 'dataset'; value: string }[][];
  page: number;
  per_page: number;
  pages: number;
  total: number;
}

export interface Group {
  id: number;
  name: string;
  /** The draft that it begins with. */
  draftId: number;
}

/** A group with a unique name, and its draft. */
export async function newGroup(client: Client, more: object = {}): Promise<Group> {
  const { dataset_group: group, dataset } = (await client.post(GROUPS, more, 201)) as {
    dataset_group: { id: number; name: string };
    dataset: Dataset;
  };
  return { ...group, draftId: dataset.id };
}

/** Asks a route under `dataset-versions` and gives the answer, whatever it is. */
export const ask = (client: Client, route: string, groupId: unknown, more: object = {}): Promise<Answer> =>
  client.request('POST', `${VERSIONS}/${route}`, { dataset_group_id: groupId, ...more });

export async function createDraft(client: Client, groupId: number, sourceId?: number): Promise<number> {
  const { body } = await ask(client, 'create-draft', groupId, sourceId ? { source_dataset_id: sourceId } : {});
  return (body as { draft_dataset_id: number }).draft_dataset_id;
}

export async function addLog(client: Client, groupId: number, logId: number): Promise<number> {
  const body = { dataset_group_id: groupId, request_log_id: logId };
  const answer = (await client.post(`${VERSIONS}/add-request-log`, body, 201)) as { draft_dataset_id: number };
  return answer.draft_dataset_id;
}

export async function saveDraft(client: Client, groupId: number): Promise<number> {
  const body = { dataset_group_id: groupId };
  const answer = (await client.post(`${VERSIONS}/save-draft`, body, 202)) as { draft_dataset_id: number };
  return answer.draft_dataset_id;
}

export const fileBody = (content: string | Buffer, name = 'rows.csv'): object => ({
  file_name: name,
  file_content_base64: Buffer.from(content).toString('base64'),
});

/** A published version with the rows of a file. */
export async function versionFromFile(
  client: Client,
  groupId: number,
  content: string | Buffer,
  name?: string,
): Promise<Dataset> {
  const body = { dataset_group_id: groupId, ...fileBody(content, name) };
  const { dataset_id: id } = (await client.post(`${VERSIONS}/from-file`, body, 201)) as { dataset_id: number };
  return published(client, id);
}

/** A published version with the rows of request logs. */
export async function versionFromLogs(client: Client, groupId: number, wishes: object): Promise<Dataset> {
  const body = { dataset_group_id: groupId, ...wishes };
  const { dataset_id: id } = (await client.post(`${VERSIONS}/from-filter-params`, body, 201)) as { dataset_id: number };
  return published(client, id);
}

export async function listDatasets(client: Client, query = ''): Promise<DatasetList> {
  return (await client.get(`${DATASETS}?${query}`)) as DatasetList;
}

export async function findDataset(client: Client, id: number): Promise<Dataset | undefined> {
  const { datasets } = await listDatasets(client, 'per_page=100');
  return datasets.find((dataset) => dataset.id === id);
}

/** Waits until a version has its number. */
export async function published(client: Client, id: number): Promise<Dataset> {
  let found: Dataset | undefined;
  await until(async () => {
    found = await findDataset(client, id);
    return (found?.version_number ?? -1) > 0;
  });
  return found!;
}

export async function readDataset(client: Client, id: number, query = 'per_page=100'): Promise<DatasetRows> {
  return (await client.get(`${DATASETS}/${id}/rows?${query}`)) as DatasetRows;
}

/** The rows of a version as objects of texts. */
export async function rowsOf(client: Client, id: number): Promise<Record<string, string>[]> {
  const { columns, rows } = await readDataset(client, id);
  return rows.map((row) => Object.fromEntries(row.map(({ value }, index) => [columns[index]!, value])));
}

export interface AnnouncedEvent {
  event_type: string;
  details: Record<string, unknown>;
}

/** Events of a workspace about a dataset version, oldest first. */
export async function eventsAbout(client: Client, workspaceId: number, datasetId: number): Promise<AnnouncedEvent[]> {
  const url = `/api/admin/v1/workspaces/${workspaceId}/events?limit=100&order=asc`;
  const { data } = (await client.get(url)) as { data: AnnouncedEvent[] };
  return data.filter(({ details }) => details.dataset_id === datasetId);
}
