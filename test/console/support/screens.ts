import type { Page } from 'playwright-core';
import type { ScreenData } from './screen-data.js';
import { goTo } from './sheet-page.js';

/** A screen in one of its states. */
export interface Screen {
  name: string;
  path: string;
  /** Owner of the key: an admin by default. `nobody` has not signed in. */
  by?: 'viewer' | 'newcomer' | 'nobody';
  /** Actions that lead from the path to the state. */
  act?: (page: Page) => Promise<unknown>;
}

const click = (page: Page, name: string | RegExp) =>
  page
    .getByRole('button', typeof name === 'string' ? { name, exact: true } : { name })
    .first()
    .click();
const clicking =
  (...names: (string | RegExp)[]) =>
  async (page: Page) => {
    for (const name of names) await click(page, name);
  };
const pressing =
  (...keys: string[]) =>
  async (page: Page) => {
    await page.getByRole('heading').first().waitFor();
    for (const key of keys) await page.keyboard.press(key);
  };

/** The dialog is a file of its own, which has to be loaded first. */
const judge = async (page: Page) => {
  await click(page, 'Judge from now on');
  await page.getByRole('dialog').waitFor();
};

/** Every screen with the states that somebody has to have looked at. */
export function screensOf({ paths }: ScreenData): Screen[] {
  return [
    ...shellScreens(paths),
    ...traceScreens(paths),
    ...requestScreens(),
    ...tableScreens(paths),
    ...sheetScreens(paths),
    ...promptScreens(paths),
    ...workflowScreens(paths),
    ...toolScreens(paths),
    ...evaluationScreens(paths),
    ...activityScreens(),
    ...settingScreens(),
  ];
}

type Paths = ScreenData['paths'];

function shellScreens(paths: Paths): Screen[] {
  const type = (text: string) => async (page: Page) => {
    await pressing('Control+k')(page);
    await page.keyboard.type(text);
  };
  const sign = async (page: Page) => {
    await page.getByLabel('API key').fill('pl_wrong');
    await click(page, 'Sign in');
    await page.getByRole('alert').waitFor();
  };
  return [
    { name: 'sign-in', path: '/console/', by: 'nobody' },
    { name: 'sign-in-refused', path: '/console/', by: 'nobody', act: sign },
    { name: 'today', path: '/console/' },
    { name: 'today-empty', path: '/console/', by: 'newcomer' },
    { name: 'nowhere', path: '/console/nowhere' },
    { name: 'palette', path: '/console/', act: pressing('Control+k') },
    { name: 'palette-words', path: '/console/', act: type('trace') },
    { name: 'help', path: '/console/traces', act: pressing('?') },
    { name: 'help-sheet', path: paths.states!, act: pressing('?') },
    { name: 'narrow-rail', path: '/console/traces', act: pressing('[') },
  ];
}

function traceScreens({ trace, failingTrace, largeTrace }: Paths): Screen[] {
  const refusing = async (page: Page, status: number, message: string) => {
    await page.route('**/traces/search', (route) => route.fulfill({ status, json: { message, error: 'refused' } }));
    await page.getByLabel('Status').selectOption('Failed');
    await page.getByRole('alert').waitFor();
  };
  return [
    { name: 'traces', path: '/console/traces' },
    { name: 'traces-filtered', path: '/console/traces?q=question&status=OK&days=7&sort=trace_duration_ms' },
    { name: 'traces-none-like-that', path: '/console/traces?q=nobodysaidthis&status=OK' },
    { name: 'traces-filter', path: '/console/traces', act: clicking('Filter') },
    { name: 'traces-to-sheet', path: '/console/traces', act: pressing('x', 'j', 'x', 'a') },
    { name: 'traces-judge', path: '/console/traces?status=OK', act: judge },
    { name: 'traces-empty', path: '/console/traces', by: 'newcomer' },
    {
      name: 'traces-forbidden',
      path: '/console/traces?q=nobodysaidthis',
      act: (page) => refusing(page, 403, 'This API key lacks the permission ADMIN.'),
    },
    {
      name: 'traces-failing',
      path: '/console/traces?q=nobodysaidthis',
      act: (page) => refusing(page, 400, 'The search took too long.'),
    },
    { name: 'trace', path: trace! },
    { name: 'trace-failed', path: failingTrace!, act: pressing('e') },
    { name: 'trace-panel-closed', path: failingTrace!, act: pressing('Escape') },
    { name: 'trace-names', path: `${trace!}?view=names` },
    { name: 'trace-graph', path: `${trace!}?view=graph` },
    { name: 'trace-large', path: `${largeTrace!}?find=step+1` },
    { name: 'trace-missing', path: '/console/traces/00000000000000000000000000000001' },
    { name: 'trace-to-sheet', path: trace!, act: clicking('Add its calls to a sheet') },
    { name: 'trace-close', path: trace!, act: clicking('Seal the trace') },
  ];
}

function requestScreens(): Screen[] {
  const failed = '/console/logs?status=ERROR&f=engine+is+gpt-4o-mini';
  return [
    { name: 'requests', path: '/console/logs' },
    { name: 'requests-search', path: '/console/logs?q=question&days=7' },
    { name: 'requests-conditions', path: `${failed}%0Ametadata[tier]+key_not_equals+gold` },
    { name: 'requests-none-like-that', path: '/console/logs?q=nobodysaidthis&f=tags+contains+nightly' },
    { name: 'requests-empty', path: '/console/logs', by: 'newcomer' },
    { name: 'requests-refused', path: '/console/logs?f=engine+less_than+3' },
    { name: 'request', path: '/console/logs?q=refund', act: pressing('Enter') },
    { name: 'request-failed', path: failed, act: pressing('x', 'j', 'x', 'Enter') },
    { name: 'requests-filter', path: '/console/logs', act: clicking('Filter') },
    { name: 'requests-to-sheet', path: '/console/logs?q=question', act: pressing('x', 'j', 'x', 'a') },
    { name: 'requests-judge', path: '/console/logs?q=question', act: judge },
    { name: 'requests-views', path: '/console/logs', act: clicking('Views') },
    { name: 'sessions', path: '/console/conversations' },
    { name: 'sessions-empty', path: '/console/conversations', by: 'newcomer' },
    { name: 'users', path: '/console/users' },
    { name: 'trends', path: '/console/trends?days=30' },
    { name: 'trends-cost', path: '/console/trends?metric=cost&days=30&only=gpt-4o&label=gpt-4o' },
    { name: 'trends-score', path: '/console/trends?metric=score:accuracy&days=30' },
    { name: 'trends-empty', path: '/console/trends', by: 'newcomer' },
    { name: 'requests-viewer', path: '/console/logs', by: 'viewer' },
  ];
}

function tableScreens({ blank, dataset, folder }: Paths): Screen[] {
  return [
    { name: 'tables-folders', path: '/console/tables?folder=top' },
    { name: 'tables-folder', path: `/console/tables?folder=${folder!}` },
    { name: 'folder-new', path: `/console/tables?folder=${folder!}`, act: clicking('New folder') },
    { name: 'folder-missing', path: '/console/tables?folder=4711' },
    { name: 'prompts-folders', path: '/console/prompts?folder=top' },
    { name: 'datasets', path: '/console/datasets' },
    { name: 'datasets-empty', path: '/console/datasets', by: 'newcomer' },
    { name: 'dataset', path: dataset! },
    { name: 'dataset-requests', path: `${dataset!}?add=requests` },
    { name: 'dataset-file', path: dataset!, act: clicking('Add a version from a file') },
    { name: 'dataset-viewer', path: dataset!, by: 'viewer' },
    { name: 'tables', path: '/console/tables' },
    { name: 'tables-none-like-that', path: '/console/tables?q=nothing' },
    { name: 'tables-empty', path: '/console/tables', by: 'newcomer' },
    { name: 'tables-viewer', path: '/console/tables', by: 'viewer' },
    { name: 'table-new', path: '/console/tables', act: clicking('New table') },
    { name: 'table-without-sheets', path: blank! },
  ];
}

function sheetScreens({ example, states, fallen, wide, scored }: Paths): Screen[] {
  const on =
    (row: number, column: number, ...keys: string[]) =>
    async (page: Page) => {
      await goTo(page, row, column);
      for (const key of keys) await page.keyboard.press(key);
    };
  const withPanel = (cell: string) => `${states!}?cell=${cell}&panel=1`;
  const column = async (page: Page) => {
    await click(page, 'Add a column');
    await page.getByRole('dialog').getByText('LLM judge', { exact: true }).first().click();
  };
  const find = async (page: Page) => {
    await click(page, 'Find where the score fell');
    await page.getByText(/fell at version/).waitFor();
  };
  return [
    { name: 'sheet', path: example! },
    { name: 'sheet-states', path: states! },
    { name: 'sheet-wide', path: `${wide!}?cell=900.20` },
    { name: 'sheet-range', path: `${wide!}?cell=3.2&to=9.4` },
    { name: 'sheet-pinned', path: wide!, act: on(1, 2, 'Alt+Shift+p', 'ArrowRight', 'Alt+Shift+h') },
    {
      name: 'sheet-hidden-menu',
      path: wide!,
      act: async (page) => {
        await on(1, 2, 'Alt+Shift+h')(page);
        await page.getByText(/^\d+ columns? hidden$/).click();
      },
    },
    { name: 'sheet-failed-only', path: `${states!}?status=error` },
    { name: 'sheet-cancelled-only', path: `${states!}?status=cancelled` },
    { name: 'sheet-editor', path: states!, act: on(2, 1, 'Enter') },
    { name: 'sheet-notice', path: states!, act: on(2, 2, 'x') },
    { name: 'sheet-menu', path: states!, act: on(1, 2, 'Shift+F10') },
    { name: 'sheet-export-menu', path: states!, act: (page) => page.getByText('Export').click() },
    { name: 'sheet-viewer', path: states!, by: 'viewer' },
    { name: 'cell-text', path: withPanel('1.1') },
    { name: 'cell-object', path: withPanel('2.2') },
    { name: 'cell-failed', path: withPanel('4.2') },
    { name: 'cell-stale', path: withPanel('15.3') },
    { name: 'cell-judged', path: withPanel('1.4') },
    { name: 'column-add', path: states!, act: column },
    { name: 'column-change', path: states!, act: clicking(/^Check/) },
    { name: 'column-delete', path: states!, act: clicking(/^Check/, 'Delete the column') },
    { name: 'plan', path: states!, act: clicking('Recalculate') },
    { name: 'versions', path: `${fallen!}?side=versions` },
    { name: 'version-compared', path: `${fallen!}?side=versions`, act: clicking('Compare with now') },
    { name: 'version-restore', path: `${fallen!}?side=versions`, act: clicking('Restore') },
    { name: 'version-old', path: `${fallen!}?at=3&side=versions` },
    { name: 'feeds-none', path: `${fallen!}?side=feeds` },
    { name: 'feed-new', path: `${fallen!}?side=feeds&feed=new` },
    { name: 'feed-new-viewer', path: `${fallen!}?side=feeds&feed=new`, by: 'viewer' },
    { name: 'score', path: `${fallen!}?side=score` },
    { name: 'score-fell', path: `${fallen!}?side=score`, act: find },
    { name: 'scorecard', path: `${scored!}?side=scorecard` },
    { name: 'scorecard-edit', path: `${scored!}?side=scorecard`, act: clicking('Edit the scorecard') },
    { name: 'scorecard-plan', path: `${scored!}?side=scorecard`, act: clicking('Calculate the scorecard') },
    { name: 'scorecard-none', path: `${states!}?side=scorecard` },
    { name: 'score-none', path: `${states!}?side=score` },
  ];
}

function promptScreens({ prompt }: Paths): Screen[] {
  const fill = async (page: Page) => {
    await click(page, 'Try');
    await page.getByLabel('question').fill('Where is my parcel?');
    await click(page, 'Show the messages');
    await page.getByLabel('Messages sent to the model').waitFor();
  };
  return [
    { name: 'prompts', path: '/console/prompts' },
    { name: 'prompts-label', path: '/console/prompts?label=production' },
    { name: 'prompts-none-like-that', path: '/console/prompts?q=nobody' },
    { name: 'prompts-empty', path: '/console/prompts', by: 'newcomer' },
    { name: 'prompt-new', path: '/console/prompts', act: clicking('New prompt') },
    { name: 'prompt', path: prompt! },
    { name: 'prompt-compared', path: `${prompt!}?against=1` },
    { name: 'prompt-edit', path: prompt!, act: clicking('Edit as a new version') },
    { name: 'prompt-try', path: prompt!, act: fill },
    { name: 'prompt-labels', path: prompt!, act: clicking('Labels') },
    { name: 'prompt-viewer', path: prompt!, by: 'viewer' },
    { name: 'playground', path: '/console/playground' },
    { name: 'playground-sheet', path: '/console/playground', act: clicking('Open as a sheet') },
    { name: 'playground-viewer', path: '/console/playground', by: 'viewer' },
    { name: 'prompt-missing', path: '/console/prompts/4711' },
  ];
}

function workflowScreens({ workflow, workflowRun }: Paths): Screen[] {
  return [
    { name: 'workflows', path: '/console/workflows' },
    { name: 'workflows-none-like-that', path: '/console/workflows?q=nobody' },
    { name: 'workflows-empty', path: '/console/workflows', by: 'newcomer' },
    { name: 'workflow', path: workflow! },
    { name: 'workflow-node', path: `${workflow!}?node=Words` },
    { name: 'workflow-run', path: workflowRun! },
    { name: 'workflow-run-node', path: `${workflowRun!}&node=Words` },
    { name: 'workflow-start', path: workflow!, act: clicking('Run with inputs') },
    { name: 'workflow-new', path: '/console/workflows/new' },
    { name: 'workflow-edit', path: `${workflow!}/edit` },
    { name: 'workflow-missing', path: '/console/workflows/4711' },
  ];
}

function toolScreens({ tool, skill }: Paths): Screen[] {
  return [
    { name: 'tools', path: '/console/tools' },
    { name: 'tools-none-like-that', path: '/console/tools?q=nobody' },
    { name: 'tools-empty', path: '/console/tools', by: 'newcomer' },
    { name: 'tool', path: tool! },
    { name: 'tool-compared', path: `${tool!}?against=1` },
    { name: 'tool-test', path: tool!, act: clicking('Test', 'Run the code') },
    { name: 'tool-new', path: '/console/tools', act: clicking('New tool') },
    { name: 'tool-edit', path: tool!, act: clicking('Edit as a new version') },
    { name: 'tool-viewer', path: tool!, by: 'viewer' },
    { name: 'skills', path: '/console/skills' },
    { name: 'skills-none-like-that', path: '/console/skills?q=nobody' },
    { name: 'skills-empty', path: '/console/skills', by: 'newcomer' },
    { name: 'skill', path: skill! },
    { name: 'skill-new', path: '/console/skills', act: clicking('New skill collection') },
    { name: 'skill-edit', path: skill!, act: clicking('Edit as a new version') },
    { name: 'skill-compared', path: `${skill!}?against=1` },
  ];
}

function evaluationScreens({ evaluation, judged, run, changedRun }: Paths): Screen[] {
  const step = `/console/evaluations/new?${judged!}`;
  return [
    { name: 'evaluations', path: '/console/evaluations' },
    { name: 'evaluations-none-like-that', path: '/console/evaluations?q=nobody' },
    { name: 'evaluations-empty', path: '/console/evaluations', by: 'newcomer' },
    { name: 'evaluation-new', path: '/console/evaluations/new' },
    { name: 'evaluation-new-viewer', path: '/console/evaluations/new', by: 'viewer' },
    { name: 'evaluation-new-run', path: `${step}&step=run` },
    { name: 'evaluation-new-scorers', path: `${step}&step=scorers`, act: clicking('Add “LLM judge”') },
    { name: 'evaluation-run', path: `/console/evaluations/runs?ids=${run!}` },
    { name: 'evaluation-runs', path: `/console/evaluations/runs?ids=${run!},${changedRun!}` },
    { name: 'evaluation-runs-none', path: '/console/evaluations/runs' },
    { name: 'evaluation', path: evaluation! },
    { name: 'evaluation-row', path: `${evaluation!}?row=1` },
    { name: 'monitors', path: '/console/monitors' },
    { name: 'monitor-new', path: '/console/monitors', act: clicking('New monitor') },
    { name: 'monitors-viewer', path: '/console/monitors', by: 'viewer' },
    { name: 'reviews-empty', path: '/console/reviews', by: 'newcomer' },
    { name: 'review-new', path: '/console/reviews', act: clicking('New queue') },
    { name: 'reviews-viewer', path: '/console/reviews', by: 'viewer' },
    { name: 'evaluation-start', path: evaluation!, act: clicking('Start a run') },
  ];
}

function activityScreens(): Screen[] {
  return [
    { name: 'activity', path: '/console/activity' },
    ...['operations', 'imports', 'exports', 'deliveries', 'audit', 'events'].map((kind) => {
      return { name: `activity-${kind}`, path: `/console/activity?kind=${kind}` };
    }),
    { name: 'activity-none', path: '/console/activity?kind=exports', by: 'newcomer' },
    { name: 'activity-viewer', path: '/console/activity', by: 'viewer' },
  ];
}

function settingScreens(): Screen[] {
  const at = (section: string) => `/console/settings/${section}`;
  const count = async (page: Page) => {
    await page.getByLabel('Days to keep requests').fill('1');
    await click(page, 'Set limits…');
    await page.getByRole('dialog').waitFor();
  };
  const countPerson = async (page: Page) => {
    await page.getByLabel(/^Id/).fill('nobody-at-all');
    await click(page, 'Count their data');
    await page.getByText('This would be erased:').waitFor();
  };
  const set = async (page: Page) => {
    await page.getByLabel(/^Input, \$ per million/).fill('0.4');
    await click(page, 'Save');
    await page.getByRole('table', { name: 'Model prices' }).waitFor();
  };
  return [
    { name: 'keys', path: at('keys') },
    { name: 'key-new', path: at('keys'), act: clicking('New key') },
    { name: 'key-rotate', path: at('keys'), act: clicking('Rotate') },
    { name: 'key-revoke', path: at('keys'), act: clicking('Revoke') },
    { name: 'keys-viewer', path: at('keys'), by: 'viewer' },
    { name: 'webhooks', path: at('webhooks') },
    { name: 'webhooks-empty', path: at('webhooks'), by: 'newcomer' },
    { name: 'webhook-new', path: at('webhooks'), act: clicking('New webhook') },
    { name: 'webhook-deliveries', path: at('webhooks'), act: clicking('Deliveries') },
    { name: 'models', path: at('models') },
    { name: 'mcp-servers', path: at('mcp-servers') },
    { name: 'mcp-servers-viewer', path: at('mcp-servers'), by: 'viewer' },
    { name: 'mcp-server-new', path: at('mcp-servers'), act: clicking('New MCP server') },
    { name: 'people', path: at('people') },
    { name: 'roles', path: at('roles') },
    { name: 'account', path: at('account') },
    { name: 'prices-empty', path: at('prices'), by: 'newcomer' },
    { name: 'price-new', path: `${at('prices')}?model=house-model&provider=house` },
    { name: 'prices', path: `${at('prices')}?model=house-model&provider=house`, act: set },
    { name: 'retention', path: at('retention') },
    { name: 'retention-counted', path: at('retention'), act: count },
    { name: 'exports', path: at('exports') },
    { name: 'export-new', path: at('exports'), act: clicking('New export') },
    { name: 'workspace', path: at('workspace') },
    { name: 'workspace-viewer', path: at('workspace'), by: 'viewer' },
    { name: 'variables', path: at('variables') },
    { name: 'variable-new', path: at('variables'), act: clicking('Add a variable') },
    { name: 'variables-viewer', path: at('variables'), by: 'viewer' },
    { name: 'erasure', path: at('erasure') },
    { name: 'erasure-counted', path: at('erasure'), act: countPerson },
    { name: 'erasure-viewer', path: at('erasure'), by: 'viewer' },
    { name: 'approvals-empty', path: at('approvals'), by: 'newcomer' },
    { name: 'settings-missing', path: at('nothing') },
  ];
}
