import type { ReactNode } from 'react';
import { useMe } from './session-context';

/** Whether the key of whoever is signed in has a permission. */
export function useMay(permission: string | null): boolean {
  const { permissions } = useMe();
  return permission === null || permissions.includes(permission);
}

/** Says which permission something needs, where it would be. Nothing for a key that has it. */
export function Needs({ permission, to }: { permission: string; to: string }) {
  const { api_key } = useMe();
  if (useMay(permission)) return null;
  const roles = api_key.roles.length === 1 ? `is ${api_key.roles[0]}` : `are ${api_key.roles.join(', ')}`;
  return (
    <p className="needs">
      {`To ${to}, a key needs the permission `}
      <code>{permission}</code>
      {`. ${api_key.roles.length === 1 ? 'The role' : 'The roles'} of yours ${roles}. Ask an admin of the workspace for a key that has it.`}
    </p>
  );
}

/** A button that is there for everybody, and works for keys with the permission. */
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
      className={className}
      disabled={!may || disabled}
      title={may ? undefined : `This needs the permission ${permission}.`}
      onClick={onClick}
    >
      {children}
    </button>
  );
}
