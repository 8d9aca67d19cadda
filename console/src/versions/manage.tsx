import type { ReactNode } from 'react';
import { useLocation } from 'wouter';
import { useRefresh } from '../api/lists';
import { Field, FormDialog, type FormValues } from '../ui/form';
import { KINDS, type VersionedKind } from './kinds';

interface Described {
  name: string;
  description: string | null;
}

interface DescribeProps extends Described {
  kind: VersionedKind;
  title: string;
  onSave: (described: Described) => Promise<unknown>;
  onClose: () => void;
}

/** Changes the name and the description, which all versions share. */
export function DescribeDialog({ kind, title, name, description, onSave, onClose }: DescribeProps) {
  const refresh = useRefresh(...KINDS[kind].lists);
  const save = async (values: FormValues) => {
    await onSave({ name: values.text('name'), description: values.optional('description') });
    await refresh();
  };
  return (
    <FormDialog title={title} submit="Save" onSubmit={save} onClose={onClose}>
      <DescriptionFields name={name} description={description} />
    </FormDialog>
  );
}

/** The fields `name` and `description`. */
export function DescriptionFields({
  name,
  description,
  onName,
}: Partial<Described> & { onName?: (name: string) => void }) {
  return (
    <>
      <Field label="Name" isRequired>
        <input
          className="field"
          name="name"
          required
          maxLength={255}
          data-first=""
          defaultValue={name}
          onChange={(event) => onName?.(event.target.value)}
        />
      </Field>
      <Field label="Description" hint="For people. It is not part of a version.">
        <textarea className="field" name="description" rows={2} maxLength={4000} defaultValue={description ?? ''} />
      </Field>
    </>
  );
}

interface DeleteProps {
  kind: VersionedKind;
  name: string;
  /** Path of the list of items. */
  list: string;
  onDelete: () => Promise<unknown>;
  onClose: () => void;
  /** Describes the effects of the deletion. */
  children: ReactNode;
}

/** Deletes an item with its versions, and opens the list. */
export function DeleteDialog({ kind, name, list, onDelete, onClose, children }: DeleteProps) {
  const refresh = useRefresh(...KINDS[kind].lists.filter((word) => word.endsWith('s')));
  const [, navigate] = useLocation();
  return (
    <FormDialog
      title={`Delete “${name}” with all versions?`}
      submit="Delete"
      isDangerous
      onSubmit={onDelete}
      onDone={() => {
        navigate(list);
        void refresh();
      }}
      onClose={onClose}
    >
      {children}
    </FormDialog>
  );
}
