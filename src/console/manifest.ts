import { integer, onOff, type SettingValues } from '../platform/config/settings.js';
import { defineDomain } from '../platform/domain.js';
import { ConsoleSession, idTokenPlace } from './console-session.entity.js';
import { ConsoleModule } from './console.module.js';

const settings = {
  console: onOff('CONSOLE', {
    fallback: 'on',
    description: 'Whether the server has the web console at `/console/`: `on` or `off`.',
  }),
  sessionIdleMinutes: integer('CONSOLE_SESSION_IDLE_MINUTES', {
    fallback: '720',
    min: 5,
    max: 525_600,
    description: 'Minutes without use after which a session of the console ends.',
  }),
  sessionMinutes: integer('CONSOLE_SESSION_MINUTES', {
    fallback: '10080',
    min: 5,
    max: 525_600,
    description:
      'Minutes after which a session of the console ends in any case. It holds for sessions that begin from then on.',
  }),
  signInsPerMinute: integer('CONSOLE_SIGN_INS_PER_MINUTE', {
    fallback: '10',
    min: 0,
    max: 1_000_000,
    description:
      'Attempts to sign in to the console, to use an invitation or link and to get a new password that one address may make in a minute, together; 0 for any number.',
  }),
  consoleSearchesPerMinute: integer('CONSOLE_SEARCHES_PER_MINUTE', {
    fallback: '600',
    min: 0,
    max: 1_000_000,
    description:
      'Searches of request logs, and as many requests for suggestions, that everybody in the console with one API key may make together in a minute; 0 for any number.',
  }),
};

declare module '../platform/config/config.js' {
  interface Config extends SettingValues<typeof settings> {}
}

defineDomain('console', {
  holds: 'The web console: its files and the sessions of signed-in people',
  uses: ['administration', 'single-sign-on'],
  module: ({ config }) => (config.console ? ConsoleModule : null),
  entities: [ConsoleSession],
  tags: [{ name: 'Console', description: 'Sign in to the web console at `/console/` and out again.', order: 185 }],
  secrets: [
    {
      what: 'ID tokens of sessions',
      table: 'console_sessions',
      column: 'id_token',
      placeOf: ({ workspace_id: workspace, token_hash: hash }) => idTokenPlace(Number(workspace), hash as Buffer),
    },
  ],
  settings,
});
