import { integer, type Setting, type SettingValues, text } from '../platform/config/settings.js';
import { defineDomain } from '../platform/domain.js';
import { ColumnTypesModule } from './column-types.module.js';
import { MAX_ITERATIONS, MAX_TURNS } from './iteration-limits.js';
import { checkModelName } from './model-name.js';

const model = (env: string, options: { fallback: string; description: string }): Setting<string> => ({
  ...text(env, options),
  read: checkModelName,
});

const settings = {
  defaultModel: model('LLM_DEFAULT_MODEL', {
    fallback: 'openai/gpt-4.1-mini',
    description:
      'Model of columns that need one and name none, as `provider/model`, unless their workspace has set another.',
  }),
  embeddingModel: model('LLM_EMBEDDING_MODEL', {
    fallback: 'openai/text-embedding-3-small',
    description: 'Model that texts are embedded with, in the same way.',
  }),
  simulationTurns: integer('SIMULATION_TURNS', {
    fallback: '10',
    min: 1,
    max: MAX_TURNS,
    description: 'Most turns of a simulated conversation whose column does not say.',
  }),
  whileIterations: integer('WHILE_ITERATIONS', {
    fallback: '25',
    min: 1,
    max: MAX_ITERATIONS,
    description: 'Most iterations of a WHILE_LOOP whose column does not say.',
  }),
};

declare module '../platform/config/config.js' {
  interface Config extends SettingValues<typeof settings> {}
}

defineDomain('column-types', {
  holds: 'The column types of this server, one file each: models, code, endpoints, checks of values, texts',
  uses: ['grid', 'llm', 'mcp-servers', 'prompts', 'tools'],
  module: () => ColumnTypesModule,
  settings,
});
