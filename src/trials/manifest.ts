import { integer, type SettingValues } from '../platform/config/settings.js';
import { defineDomain } from '../platform/domain.js';
import { TrialsModule } from './trials.module.js';

const settings = {
  trialsPerWorkspace: integer('TRIALS_PER_WORKSPACE', {
    fallback: '20',
    min: 1,
    max: 10_000,
    description:
      'Trials of prompts that may wait for a model at the same time in one workspace, counted by each process.',
  }),
  trialTimeLimitMs: integer('TRIAL_TIME_LIMIT_MS', {
    fallback: '600000',
    min: 100,
    max: 86_400_000,
    description: 'Longest time one trial of a prompt may take, in milliseconds.',
  }),
};

declare module '../platform/config/config.js' {
  interface Config extends SettingValues<typeof settings> {}
}

defineDomain('trials', {
  holds: 'Trials: a prompt is sent to a model once, and the answer streamed or given whole',
  uses: ['llm', 'prompts', 'requests', 'traces'],
  module: () => TrialsModule,
  tags: [{ name: 'Trials', description: 'Send a prompt to a model once and read the answer.', order: 65 }],
  settings,
});
