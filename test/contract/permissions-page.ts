import { GRANTS, NEEDS, permissionsOf } from './route-permissions.js';

const HEAD = `# Permissions

Reading, sending data, and running workflows and exports need an API key of the workspace and no permission. A session of the console reads as
well, but sends no traces and calls. The routes below need a permission. Routes of the operator need the admin token, and routes below \`/scim/v2\`
a SCIM token; they are not listed. Built-in [roles](../how-to/people.md) grant them as the first table shows; a workspace can define further roles.

Every route of this page is tested with keys of every role. The page is written by that test:
\`npm test -- test/contract/permissions --update\`.
`;

const BESIDES = `## What a request may need besides

- A new version of a prompt or a workflow: \`PROMPT_EDIT\` or \`WORKFLOW_EDIT\` instead of the permission to create one. A new prompt by an external
  id: \`PROMPT_CREATE\`.
- A version with a release label: \`PROMPT_DEPLOY\`, \`TOOL_DEPLOY\`, \`WORKFLOW_DEPLOY\` or \`SKILL_DEPLOY\`. Asking for a change of a label
  needs the one of its kind.
- A copy of a dataset or an evaluation into an existing table, or a trace for a sheet: \`TABLE_EDIT\`.
- Moving or deleting entities of folders: the permission of the kind of each of them.
- Exports and saved views: nothing for the key that made them. A private saved view: nothing.
`;

/** The reference page of roles, permissions and the routes that each permission opens. */
export function permissionsPage(): string {
  const permissions = [...new Set(Object.values(GRANTS).flat())].sort();
  return [
    HEAD,
    '## Roles',
    '',
    ...rolesTable(permissions),
    '',
    '## Routes',
    '',
    ...permissions.flatMap(routesOf),
    BESIDES,
  ].join('\n');
}

function rolesTable(permissions: string[]): string[] {
  const roles = Object.keys(GRANTS);
  const rows = permissions.map((name) => [
    `\`${name}\``,
    ...roles.map((role) => (GRANTS[role]!.includes(name) ? '✓' : '')),
  ]);
  return [['Permission', ...roles], ['---', ...roles.map(() => '---')], ...rows].map(
    (cells) => `| ${cells.join(' | ')} |`,
  );
}

function routesOf(permission: string): string[] {
  const routes = [...NEEDS].filter(([, need]) => permissionsOf(need).includes(permission));
  const lines = routes.map(([route, need]) => {
    const others = permissionsOf(need).filter((other) => other !== permission);
    return `- \`${route}\`${others.length > 0 ? ' (or another permission of this kind)' : ''}`;
  });
  return [`### ${permission}`, '', ...(lines.length > 0 ? lines.sort() : ['No route needs it alone.']), ''];
}
