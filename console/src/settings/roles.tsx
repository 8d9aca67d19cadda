import { useQuery } from '@tanstack/react-query';
import { api } from '../api/client';
import type { RoleBody } from '../api/schema.gen';
import { useHere, WORKSPACE } from '../shell/session-context';
import { Failure } from '../ui/parts';

export type Role = RoleBody['name'];

export const ROLES_KEY = ['roles'];

/** The roles of the workspace, built in and its own, and the names of all permissions. */
export function useRoles() {
  const path = useHere();
  return useQuery({ queryKey: ROLES_KEY, queryFn: ({ signal }) => api(`GET ${WORKSPACE}/roles`, { path, signal }) });
}

/** A box for each role. The form has the chosen ones under the name `roles`. */
export function RoleBoxes({ hint, chosen = [] }: { hint?: string; chosen?: readonly string[] }) {
  const { data, error, refetch } = useRoles();
  return (
    <fieldset>
      <legend>Roles</legend>
      {hint && <p className="quiet-text">{hint}</p>}
      {error && <Failure error={error} onRetry={() => void refetch()} />}
      {data?.roles.map(({ name, description }) => (
        <label key={name} className="tick">
          <input type="checkbox" name="roles" value={name} defaultChecked={chosen.includes(name)} />
          <span className="role">{name}</span> <span className="quiet-text">{description}</span>
        </label>
      ))}
    </fieldset>
  );
}
