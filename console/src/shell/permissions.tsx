import type { ReactNode } from 'react';
import { useMe } from './session-context';

/** Whether the signed-in user or key has a permission. */
export function useMay(permission: string | null): boolean {
  const { permissions } = useMe();
  return permission === null || permissions.includes(permission);
}

/** Names the missing permission in the place of an action. Nothing for keys that have it. */
export function Needs({ permission, to }: { permission: string; to: string }) {
  const { api_key, user } = useMe();
  if (useMay(permission)) return null;
  const own = (user ?? api_key)?.roles ?? [];
  const roles = own.length === 1 ? `is ${own[0]}` : `are ${own.join(', ')}`;
  return (
    <p className="needs">
      {`To ${to}, you need the permission `}
      <code>{permission}</code>
      {`. Your ${own.length === 1 ? 'role' : 'roles'} ${roles}. Ask an admin of the workspace for it.`}
    </p>
  );
}

/** A button that every key sees, enabled for keys with the permission. */
export function GuardedButton(props: {
  /** Null where every key may. */
  permission: string | null;
  className?: string;
  disabled?: boolean;
  onClick: () => void;
  children: ReactNode;
}) {
  const { permission, className = 'button', disabled = false, onClick, children } = props;
  const may = useMay(permission);
  return (
    <button
      type="button"
      className={className}
      disabled={!may || disabled}
      title={may ? undefined : `This needs the permission ${permission}.`}
      onClick={onClick}
    >
      {children}
    </button>
  );
}
