import {
  cloneElement,
  type FormEvent,
  type ReactElement,
  type ReactNode,
  useEffect,
  useId,
  useRef,
  useState,
} from 'react';
import { Dialog } from './dialog';
import { Options, pairsOf } from './options';
import { Refused } from './parts';
import { markTyped } from './unsaved';

/** What was typed, by the names of the fields. Boxes that are not ticked are missing. */
export class FormValues {
  constructor(private readonly data: FormData) {}

  /** Without the spaces around it. */
  text(name: string): string {
    return this.raw(name).trim();
  }

  /** As it was typed. */
  raw(name: string): string {
    return String(this.data.get(name) ?? '');
  }

  /** Null for a field that was left empty. */
  optional(name: string): string | null {
    return this.text(name) || null;
  }

  number(name: string): number | null {
    const text = this.text(name);
    return text === '' ? null : Number(text);
  }

  all(name: string): string[] {
    return this.data.getAll(name).map(String);
  }

  /** Null where none was chosen. */
  file(name: string): File | null {
    const file = this.data.get(name);
    return file instanceof File && file.name !== '' ? file : null;
  }
}

interface FormProps<T> {
  submit: string;
  onSubmit: (values: FormValues) => Promise<T>;
  /** After it was submitted: nothing is unsaved any more. */
  onDone?: (result: T) => void;
  /** For what cannot be taken back: Enter does not do it. */
  isDangerous?: boolean;
  /** What the button says that leaves everything as it is. */
  cancel?: string;
  onCancel?: () => void;
  /** Something else than a field was changed, such as an order: it is not discarded without a question either. */
  isChanged?: boolean;
  /** For those who may only look. */
  disabled?: boolean;
  /** After the buttons. */
  more?: ReactNode;
  children?: ReactNode;
}

/** A form that keeps what was typed when saving fails, and shows the reason above its buttons. */
export function Form<T>(props: FormProps<T>) {
  const {
    submit,
    onSubmit,
    onDone,
    isDangerous = false,
    cancel = 'Cancel',
    onCancel,
    isChanged = false,
    disabled = false,
    more,
    children,
  } = props;
  const [error, setError] = useState<Error | null>(null);
  const [isWaiting, setWaiting] = useState(false);
  const form = useRef<HTMLFormElement>(null);
  useEffect(() => {
    if (isChanged) markTyped(form.current!, true);
  }, [isChanged]);
  const onSubmitted = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault();
    // A dialog may be opened from within another form, which would be submitted too.
    event.stopPropagation();
    setWaiting(true);
    setError(null);
    const sent = event.currentTarget;
    onSubmit(new FormValues(new FormData(sent)))
      .then((result) => {
        markTyped(sent, false);
        onDone?.(result);
      })
      .catch((reason: Error) => setError(reason))
      .finally(() => setWaiting(false));
  };
  return (
    <form ref={form} className="form" onInput={(event) => markTyped(event.currentTarget, true)} onSubmit={onSubmitted}>
      <fieldset disabled={disabled}>{children}</fieldset>
      <Refused error={error} />
      <div className="actions">
        {!disabled && (
          <button className={isDangerous ? 'button primary dangerous' : 'button primary'} disabled={isWaiting}>
            {submit}
          </button>
        )}
        {onCancel && (
          <button type="button" className="button" data-first={isDangerous ? '' : undefined} onClick={onCancel}>
            {disabled ? 'Close' : cancel}
          </button>
        )}
        {more}
      </div>
    </form>
  );
}

/** A form in a dialog, which closes when what it does has succeeded, unless `onDone` says what comes next. */
export function FormDialog<T>(props: FormProps<T> & { title: string; isWide?: boolean; onClose: () => void }) {
  const { title, isWide = false, onClose, onDone = onClose, ...form } = props;
  return (
    <Dialog label={title} className={isWide ? 'form-dialog wide' : 'form-dialog'} onClose={onClose}>
      <h1>{title}</h1>
      <Form {...form} onDone={onDone} onCancel={onClose} />
    </Dialog>
  );
}

/** What ties a control to its name and to its hint. */
export interface Tied {
  id: string;
  /** Arabic and Hebrew are written from the right. */
  dir: 'auto';
  'aria-describedby': string | undefined;
}

interface FieldProps {
  label: ReactNode;
  /** What has to be known about it. */
  hint?: ReactNode;
  isRequired?: boolean;
  /** For a box to tick, which stands before its name. */
  isInline?: boolean;
  /** The control, or what makes it. */
  children: ReactElement<Partial<Tied>> | ((tied: Tied) => ReactNode);
}

/** A control under its name, with its hint below. */
export function Field({ label, hint, isRequired = false, isInline = false, children }: FieldProps) {
  const id = useId();
  const tied: Tied = { id, dir: 'auto', 'aria-describedby': hint ? `${id}-hint` : undefined };
  return (
    <div className={isInline ? 'form-field inline' : 'form-field'}>
      <label htmlFor={id}>
        {label}
        {isRequired && <span className="quiet-text"> required</span>}
      </label>
      {typeof children === 'function' ? children(tied) : cloneElement(children, tied)}
      {hint && (
        <p id={tied['aria-describedby']} className="quiet-text">
          {hint}
        </p>
      )}
    </div>
  );
}

/** A choice among words that are shown as they are, or by their names. */
export function SelectField(props: {
  label: string;
  name: string;
  options: Record<string, string>;
  value?: string;
  hint?: ReactNode;
}) {
  const { label, name, options, value, hint } = props;
  return (
    <Field label={label} hint={hint}>
      <select className="field" name={name} defaultValue={value}>
        <Options pairs={pairsOf(options)} />
      </select>
    </Field>
  );
}
