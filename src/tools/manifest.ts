import { integer, type SettingValues } from '../platform/config/settings.js';
import { defineDomain } from '../platform/domain.js';
import { Tool, ToolLabel, ToolVersion } from './tool.entity.js';
import { ToolsModule } from './tools.module.js';

const settings = {
  toolTimeLimitMs: integer('TOOL_TIME_LIMIT_MS', {
    fallback: '30000',
    min: 100,
    max: 3_600_000,
    description:
      'Longest time the code of a tool may run, in milliseconds. While the machine is busy, its processor time counts instead, for up to 30 seconds more.',
  }),
};

const permissions = ['TOOL_CREATE', 'TOOL_EDIT', 'TOOL_DELETE', 'TOOL_DEPLOY'] as const;

declare module '../platform/config/config.js' {
  interface Config extends SettingValues<typeof settings> {}
}

declare module '../access/roles/permissions.js' {
  interface Permissions extends Record<(typeof permissions)[number], true> {}
}

defineDomain('tools', {
  holds: 'The tool registry: versions, labels, and the code of tools, which runs in the sandbox',
  uses: ['llm', 'events', 'env-vars', 'entity-lists', 'external-ids', 'folders', 'registry', 'storage'],
  module: () => ToolsModule,
  entities: [Tool, ToolLabel, ToolVersion],
  tags: [
    {
      name: 'Tools',
      description: 'Versioned tools that prompts offer to models, with the code that runs them.',
      order: 71,
    },
  ],
  permissions,
  settings,
});
