import { integer, type SettingValues, text } from '../platform/config/settings.js';
import { defineDomain } from '../platform/domain.js';
import { logSearchLag } from './search/log-search-lag.queries.js';
import { requestEntities } from './entities.js';
import { RequestsModule } from './requests.module.js';

const permissions = ['METADATA_EDIT'] as const;

const settings = {
  pricesFile: text('PRICES_FILE', {
    fallback: '',
    description:
      'A JSON file with public prices of models in place of those that came with the server, in the format of genai-prices: https://raw.githubusercontent.com/pydantic/genai-prices/main/prices/new_data/v2/data.json. It is read again within seconds when it changes.',
  }),
  searchesPerMinute: integer('SEARCHES_PER_MINUTE', {
    fallback: '600',
    min: 0,
    max: 1_000_000,
    description: 'Searches of request logs that one API key may make in a minute; 0 for any number.',
  }),
  suggestionsPerMinute: integer('SUGGESTIONS_PER_MINUTE', {
    fallback: '10',
    min: 0,
    max: 1_000_000,
    description: 'Requests for suggestions that one API key may make in a minute; 0 for any number.',
  }),
};

declare module '../access/roles/permissions.js' {
  interface Permissions extends Record<(typeof permissions)[number], true> {}
}

declare module '../platform/config/config.js' {
  interface Config extends SettingValues<typeof settings> {}
}

defineDomain('requests', {
  holds: 'Request logs: logging, search, analytics, tracking, prices',
  uses: ['arrivals', 'charts', 'live', 'llm', 'prompts', 'rollups', 'storage', 'text-search', 'words'],
  module: (process) => RequestsModule.for(process),
  entities: requestEntities,
  tags: [
    { name: 'Request logs', description: 'The calls of language models found in traces.', order: 30 },
    {
      name: 'Model prices',
      description: 'Prices that a workspace pays for models, in place of their public prices.',
      order: 170,
    },
  ],
  permissions,
  settings,
  readings: { searchLag: [logSearchLag] },
});
