import type { Client } from './client.js';
import { joinWorkspace, type Person } from './people.js';
import { labelsOf, promptUrl, publishPrompt } from './prompts.js';
import { createSkills, saveSkills, SKILLS } from './skills.js';
import type { TestApp } from './test-app.js';
import { createTool, definitionOf, readTool, saveVersion } from './tools.js';
import { graphOf, SAVE, saveWorkflow } from './workflows.js';

export const CHANGES = '/api/public/v2/label-changes';
const ENTITIES = '/api/public/v2/folders/entities';

export interface LabelChange {
  id: string;
  kind: string;
  item_id: string;
  item_name: string;
  label: string;
  from_version_number: number | null;
  version_number: number | null;
  current_version_number?: number | null;
  state: string;
  outdated_because: string | null;
  reason: string;
  asked_by: { key_id: number; name: string | null; user_id: number | null };
  decided_by: { key_id: number; name: string | null } | null;
  decision_reason: string | null;
}

export interface Item {
  id: string;
  name: string;
}

type Asked = [method: 'POST' | 'PUT' | 'PATCH' | 'DELETE', path: string, body?: object];

/** Kinds of items: how tests create them, and their names in audit entries. */
export interface Kind {
  kind: string;
  permission: string;
  /** An item with two versions. With a label it is on version 1; labels that need an approval cannot be given this way. */
  create(me: Client, workspaceId: number, name: string, label?: string): Promise<Item>;
  /** The number of the version of each label. */
  labels(me: Client, workspaceId: number, item: Item): Promise<Record<string, number>>;
  delete(workspaceId: number, item: Item): Asked;
  /** A request that would give the item a version with the label "prod", or move it there. */
  direct(workspaceId: number, item: Item): Asked;
  /** Actions of the audit trail for a label that was created or moved, and removed. */
  actions: { moved: string; removed: string };
}

const admin = (workspaceId: number) => `/api/admin/v1/workspaces/${workspaceId}`;

const prompts: Kind = {
  kind: 'prompt',
  permission: 'PROMPT_DEPLOY',
  actions: { moved: 'release_label.move', removed: 'release_label.delete' },
  async create(me, _, name, label) {
    const { id } = await publishPrompt(me, name, { labels: label === undefined ? [] : [label] });
    await publishPrompt(me, name, { message: 'Good day {name}!' });
    return { id: String(id), name };
  },
  labels: (me, _, { id }) => labelsOf(me, id),
  delete: (_, { id }) => ['DELETE', ENTITIES, { entities: [{ id: Number(id), type: 'PROMPT' }] }],
  direct: (_, { id }) => ['PATCH', promptUrl(id, '/rest/prompt-templates'), { release_labels: ['prod'] }],
};

const tools: Kind = {
  kind: 'tool',
  permission: 'TOOL_DEPLOY',
  actions: { moved: 'tool_label.move', removed: 'tool_label.delete' },
  async create(me, workspaceId, name, label) {
    const id = await createTool(me, name);
    await saveVersion(me, id, definitionOf(name));
    if (label !== undefined) {
      await me.put(`${admin(workspaceId)}/tools/${id}/labels/${label}`, { version_number: 1 });
    }
    return { id: String(id), name };
  },
  async labels(me, _, { id }) {
    const { labels } = await readTool(me, id);
    return Object.fromEntries(labels.map((label) => [label.name, label.version_number]));
  },
  delete: (workspaceId, { id }) => ['DELETE', `${admin(workspaceId)}/tools/${id}`],
  direct: (workspaceId, { id }) => ['PUT', `${admin(workspaceId)}/tools/${id}/labels/prod`, { version_number: 2 }],
};

const workflows: Kind = {
  kind: 'workflow',
  permission: 'WORKFLOW_DEPLOY',
  actions: { moved: 'workflow_label.move', removed: 'workflow_label.delete' },
  async create(me, _, name, label) {
    const labels = label === undefined ? [] : [label];
    const { workflow_id: id } = await saveWorkflow(me, { name, ...graphOf(), release_labels: labels });
    await saveWorkflow(me, { workflow_id: id, ...graphOf() });
    return { id: String(id), name };
  },
  async labels(me, _, { id }) {
    const { release_labels: labels } = (await me.get(`/workflows/${id}/labels`)) as {
      release_labels: { release_label: string; workflow_version_number: number }[];
    };
    return Object.fromEntries(labels.map((label) => [label.release_label, label.workflow_version_number]));
  },
  delete: (workspaceId, { id }) => ['DELETE', `${admin(workspaceId)}/workflows/${id}`],
  direct: (_, { id }) => ['POST', SAVE, { workflow_id: Number(id), ...graphOf(), release_labels: ['prod'] }],
};

const skills: Kind = {
  kind: 'skill_collection',
  permission: 'SKILL_DEPLOY',
  actions: { moved: 'skill_collection.move_label', removed: 'skill_collection.remove_label' },
  async create(me, _, name, label) {
    const { skill_collection: collection } = await createSkills(me, name);
    const files = [{ path: 'a/SKILL.md', content: 'A' }];
    await saveSkills(me, collection.id, { files, ...(label !== undefined && { release_label: label }) });
    await saveSkills(me, collection.id, { commit_message: 'Second' });
    return { id: collection.id, name };
  },
  async labels(me, workspaceId, { id }) {
    const { versions } = (await me.get(`${admin(workspaceId)}/skill-collections/${id}/versions`)) as {
      versions: { number: number; release_label: string | null }[];
    };
    const labelled = versions.filter(({ release_label: label }) => label !== null);
    return Object.fromEntries(labelled.map(({ release_label: label, number }) => [label!, number]));
  },
  delete: (workspaceId, { id }) => ['DELETE', `${admin(workspaceId)}/skill-collections/${id}`],
  direct: (_, { id }) => ['POST', `${SKILLS}/${id}/versions`, { release_label: 'prod' }],
};

export const KINDS: Kind[] = [prompts, tools, workflows, skills];

export const PROMPT_KIND = prompts;

export async function askFor(client: Client, body: object, status = 201): Promise<LabelChange> {
  return ((await client.post(CHANGES, body, status)) as { label_change: LabelChange }).label_change;
}

export async function readChange(client: Client, id: string): Promise<LabelChange> {
  return ((await client.get(`${CHANGES}/${id}`)) as { label_change: LabelChange }).label_change;
}

export const approve = (client: Client, { id }: LabelChange, status = 200, body: object = {}) =>
  client.post(`${CHANGES}/${id}/approve`, body, status);

export const decide = (client: Client, { id }: Pick<LabelChange, 'id'>, verb: string, body: object = {}) =>
  client.request('POST', `${CHANGES}/${id}/${verb}`, body);

interface Entry {
  action: string;
  entity_id: string;
  key_name: string | null;
  details: Record<string, unknown>;
}

let count = 0;

/** A workspace in which the label "prod" needs an approval, and people with different roles. */
export class Approvals {
  private constructor(
    private readonly app: TestApp,
    /** A service key of an administrator, which the operator has created. */
    readonly me: Client,
    readonly workspace: number,
  ) {}

  /** May ask for changes, and nothing else with protected labels. */
  asker: Person;
  approver: Person;
  /** May do both. */
  lead: Person;

  static async create(app: TestApp): Promise<Approvals> {
    const me = await app.stranger();
    const { workspace } = (await me.get('/api/public/v2/me')) as { workspace: { id: number } };
    const made = new Approvals(app, me, workspace.id);
    made.asker = await made.join(['contributor', 'publisher']);
    made.approver = await made.join(['approver']);
    made.lead = await made.join(['contributor', 'publisher', 'approver']);
    await made.protect(['prod'], ['prod']);
    return made;
  }

  get admin(): string {
    return admin(this.workspace);
  }

  join(roles: string[]): Promise<Person> {
    return joinWorkspace(this.app, this.me, this.workspace, roles);
  }

  protect(names: string[], approvals: string[]): Promise<unknown> {
    return this.me.patch(`${this.admin}/settings`, { protected_labels: names, approval_labels: approvals });
  }

  /** An item with two versions, the first of which has the label. */
  async item(kind: Kind, label?: string): Promise<Item> {
    await this.protect(['prod'], []);
    const made = await kind.create(this.me, this.workspace, `item_${++count}`, label);
    await this.protect(['prod'], ['prod']);
    return made;
  }

  async newChange(label?: string, client = this.asker.browser): Promise<{ made: Item; change: LabelChange }> {
    const made = await this.item(PROMPT_KIND, label);
    return { made, change: await askFor(client, bodyFor(PROMPT_KIND, made)) };
  }

  labels(kind: Kind, made: Item): Promise<Record<string, number>> {
    return kind.labels(this.me, this.workspace, made);
  }

  async entries(query: string): Promise<Entry[]> {
    return ((await this.me.get(`${this.admin}/audit-entries?limit=100&${query}`)) as { data: Entry[] }).data;
  }

  /** Details of events of a type, newest first. */
  async events(type: string): Promise<Record<string, unknown>[]> {
    const page = (await this.me.get(`${this.admin}/events?limit=100&event_type=${type}`)) as {
      data: { details: Record<string, unknown> }[];
    };
    return page.data.map(({ details }) => details);
  }
}

export const REASON = 'Shorter answers';

/** The request to move the label "prod" to version 2. */
export const bodyFor = (kind: Kind, { id }: Item, more: object = {}) => ({
  kind: kind.kind,
  item: id,
  label: 'prod',
  version_number: 2,
  reason: REASON,
  ...more,
});
