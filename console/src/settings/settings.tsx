import './settings.css';
import type { ComponentType } from 'react';
import { Link } from 'wouter';
import { Note } from '../ui/parts';
import { useTitle } from '../ui/title';
import { Account } from './account';
import { Approvals } from './approvals';
import { Erasure } from './erasure';
import { Exports } from './exports';
import { Keys } from './keys';
import { Roles } from './own-roles';
import { McpServers } from './mcp-servers';
import { Models } from './models';
import { People } from './people';
import { Prices } from './prices';
import { Retention } from './retention';
import { Variables } from './variables';
import { Webhooks } from './webhooks';
import { WorkspaceSettings } from './workspace-settings';

const SECTIONS: Record<string, { title: string; Content: ComponentType }> = {
  keys: { title: 'API keys', Content: Keys },
  people: { title: 'People', Content: People },
  roles: { title: 'Roles', Content: Roles },
  approvals: { title: 'Approvals', Content: Approvals },
  account: { title: 'Your account', Content: Account },
  models: { title: 'Models', Content: Models },
  variables: { title: 'Environment variables', Content: Variables },
  'mcp-servers': { title: 'MCP servers', Content: McpServers },
  webhooks: { title: 'Webhooks', Content: Webhooks },
  prices: { title: 'Model prices', Content: Prices },
  retention: { title: 'Retention', Content: Retention },
  erasure: { title: 'Erasure', Content: Erasure },
  exports: { title: 'Exports', Content: Exports },
  workspace: { title: 'Workspace', Content: WorkspaceSettings },
};

/** Settings of the whole workspace, one section at a time. */
export default function Settings({ section = 'keys' }: { section?: string }) {
  const here = SECTIONS[section];
  useTitle(here?.title ?? 'Settings');
  return (
    <>
      <header className="screen-head">
        <h1>Settings</h1>
        <nav className="tabs" aria-label="Settings">
          {Object.entries(SECTIONS).map(([name, { title }]) => (
            <Link key={name} href={`/settings/${name}`} aria-current={name === section ? 'page' : undefined}>
              {title}
            </Link>
          ))}
        </nav>
      </header>
      <div className="screen-body">
        {here ? (
          <here.Content />
        ) : (
          <Note title="Settings page not found">
            <p>Choose a section above.</p>
          </Note>
        )}
      </div>
    </>
  );
}
