import type { FolderEntityBody } from '../api/schema.gen';
import { promptPath } from '../prompts/links';

type Type = FolderEntityBody['type'];

/** A kind of entities that a screen lists in folders. */
export interface FolderKind {
  /** In the singular. */
  what: string;
  title: string;
  home: string;
  types: readonly Type[];
  pathOf: (id: number | string) => string;
  create: string;
  edit: string;
  remove: string;
}

export const PROMPTS: FolderKind = {
  what: 'prompt',
  title: 'Prompts',
  home: '/prompts',
  types: ['PROMPT', 'SNIPPET'],
  pathOf: (id) => promptPath(Number(id)),
  create: 'PROMPT_CREATE',
  edit: 'PROMPT_EDIT',
  remove: 'PROMPT_DELETE',
};

export const TABLES: FolderKind = {
  what: 'table',
  title: 'Tables',
  home: '/tables',
  types: ['TABLE'],
  pathOf: (id) => `/tables/${id}`,
  create: 'TABLE_CREATE',
  edit: 'TABLE_EDIT',
  remove: 'TABLE_DELETE',
};

export const DATASETS: FolderKind = {
  what: 'dataset',
  title: 'Datasets',
  home: '/datasets',
  types: ['DATASET'],
  pathOf: (id) => `/datasets/${id}`,
  create: 'DATASET_CREATE',
  edit: 'DATASET_EDIT',
  remove: 'DATASET_DELETE',
};
