import { type ReactNode, useMemo } from 'react';
import { type DiffLine, diffLines } from '../diff/diff';
import { DiffLines } from '../diff/diff-lines';
import { useMay } from '../shell/permissions';
import { Field, FormDialog, type FormValues } from '../ui/form';
import { KINDS, type VersionedKind } from './kinds';

/** The message of a new version, and its label. */
export interface Publication {
  message: string | null;
  label: string | null;
}

interface Props<T> {
  kind: VersionedKind;
  title: string;
  submit?: string;
  /** False where the API takes no label with a new version. */
  hasLabel?: boolean;
  /** Whether something besides the fields has changed. */
  isChanged?: boolean;
  onPublish: (publication: Publication, values: FormValues) => Promise<T>;
  onPublished: (result: T) => void;
  onClose: () => void;
  /** The draft with its changes. */
  children: ReactNode;
}

/** Publishes a version with a message and a label. Published versions are immutable. */
export function PublishDialog<T>(props: Props<T>) {
  const { kind, title, submit = 'Publish', hasLabel = true, isChanged = false, children } = props;
  const { onPublish, onPublished, onClose } = props;
  const publish = (values: FormValues) =>
    onPublish({ message: values.optional('commit_message'), label: values.optional('label') }, values);
  return (
    <FormDialog
      title={title}
      submit={submit}
      isWide
      isChanged={isChanged}
      onSubmit={publish}
      onClose={onClose}
      onDone={(result) => {
        onClose();
        onPublished(result);
      }}
    >
      {children}
      <PublicationFields kind={kind} hasLabel={hasLabel} />
    </FormDialog>
  );
}

const LONGEST_MESSAGE: Partial<Record<VersionedKind, number>> = { prompt: 72 };

/** The fields `commit_message` and `label`. */
export function PublicationFields({ kind, hasLabel = true }: { kind: VersionedKind; hasLabel?: boolean }) {
  const mayLabel = useMay(KINDS[kind].deploy);
  return (
    <>
      <Field label="Commit message">
        <input
          className="field"
          name="commit_message"
          maxLength={LONGEST_MESSAGE[kind] ?? 1000}
          placeholder="Shorter greeting"
        />
      </Field>
      {hasLabel && mayLabel && (
        <Field label="Release label" hint="The label moves to the new version. Optional.">
          <input className="field" name="label" maxLength={255} placeholder="staging" />
        </Field>
      )}
    </>
  );
}

/** Changed lines of a draft, compared with its base version. */
export function DraftChanges({ before, after }: { before: string; after: string }) {
  const lines: DiffLine[] = useMemo(() => diffLines(before, after), [before, after]);
  const changed = lines.filter(({ kind }) => kind !== 'same').length;
  if (changed === 0) return <p className="quiet-text">No changes yet.</p>;
  return (
    <details>
      <summary>{changed === 1 ? '1 line differs' : `${changed} lines differ`}</summary>
      <DiffLines lines={lines} />
    </details>
  );
}
