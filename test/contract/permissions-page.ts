import { GRANTS, NEEDS, permissionsOf } from './route-permissions.js';

const HEAD = `# Permissions

Reading and sending data needs an API key of the workspace or a session, and no permission. Everything else needs one of the permissions
below. Built-in [roles](../how-to/people.md) grant them as the first table shows; a workspace can define further roles.

Every route of this page is tested with keys of every role. The page is written by that test:
\`npm test -- test/contract/permissions --update\`.
`;

/** The reference page of roles, permissions and the routes that each permission opens. */
export function permissionsPage(): string {
  const permissions = [...new Set(Object.values(GRANTS).flat())].sort();
  return [HEAD, '## Roles', '', ...rolesTable(permissions), '', '## Routes', '', ...permissions.flatMap(routesOf)].join(
    '\n',
  );
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
