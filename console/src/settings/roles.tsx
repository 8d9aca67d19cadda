/** Purposes of the roles, as the server defines them (`access/permissions.ts`). */
const ROLES = {
  admin: 'Everything, settings included',
  member: 'Everything but settings of the workspace and protected labels',
  contributor: 'Create, edit and delete',
  publisher: 'Move labels (publish)',
  approver: 'Change protected labels',
  developer: 'Manage API keys',
  viewer: 'Read, and send traces and calls',
} as const;
export type Role = keyof typeof ROLES;

/** A box for each role. The form has the chosen ones under the name `roles`. */
export function RoleBoxes({ hint, chosen = [] }: { hint?: string; chosen?: readonly string[] }) {
  return (
    <fieldset>
      <legend>Roles</legend>
      {hint && <p className="quiet-text">{hint}</p>}
      {Object.entries(ROLES).map(([role, about]) => (
        <label key={role} className="tick">
          <input type="checkbox" name="roles" value={role} defaultChecked={chosen.includes(role)} />
          <span className="role">{role}</span> <span className="quiet-text">{about}</span>
        </label>
      ))}
    </fieldset>
  );
}
