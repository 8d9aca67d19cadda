import { useState } from 'react';
import { ModelField } from '../models/model-field';
import { DiffLines } from '../diff/diff-lines';
import { diffLines } from '../diff/diff';
import { MessageField } from '../prompts/message-field';
import { Menu, type MenuItem } from '../ui/menu';
import { Parameters } from './parameters';
import { PublishVariant, useMayPublish } from './publish-variant';
import { type Variant, type VariantMessage, variantText } from './variant';

interface Props {
  letter: string;
  variant: Variant;
  /** Variant A, to compare with; null for A itself. */
  first: Variant | null;
  onChange: (variant: Variant) => void;
  /** null where no more fit. */
  onCopy: (() => void) | null;
  onRemove: (() => void) | null;
}

/** One prompt with its model. */
export function VariantColumn({ letter, variant, first, onChange, onCopy, onRemove }: Props) {
  const [isPublishing, setPublishing] = useState(false);
  const mayPublish = useMayPublish();
  const items = [
    { label: 'Publish as a version', isDisabled: !mayPublish, act: () => setPublishing(true) },
    { label: 'Copy to a new variant', isDisabled: !onCopy, act: () => onCopy?.() },
    { label: 'Remove the variant', isDisabled: !onRemove, act: () => onRemove?.() },
  ];
  return (
    <section className="variant" aria-label={`Variant ${letter}`}>
      <Head letter={letter} variant={variant} items={items} onChange={onChange} />
      <Parameters variant={variant} onChange={onChange} />
      {variant.messages.map((message, at) => (
        // Messages have no names, and keep their order.
        <PicturedMessage
          key={at}
          message={message}
          onChange={(changed) => onChange({ ...variant, messages: variant.messages.with(at, changed) })}
          onRemove={
            variant.messages.length > 1
              ? () => onChange({ ...variant, messages: variant.messages.toSpliced(at, 1) })
              : null
          }
        />
      ))}
      <footer className="actions">
        {variant.isChat && (
          <button
            className="button quiet"
            onClick={() => onChange({ ...variant, messages: [...variant.messages, nextMessage(variant)] })}
          >
            + message
          </button>
        )}
        {first && <DifferenceToFirst first={first} variant={variant} />}
      </footer>
      {isPublishing && <PublishVariant variant={variant} onClose={() => setPublishing(false)} />}
    </section>
  );
}

interface HeadProps extends Pick<Props, 'letter' | 'variant' | 'onChange'> {
  items: MenuItem[];
}

function Head({ letter, variant, items, onChange }: HeadProps) {
  const [menu, setMenu] = useState<DOMRect | null>(null);
  const { provider: before, apiType } = variant;
  return (
    <header>
      <span className="letter">{letter}</span>
      <ModelField
        model={{ provider: before, name: variant.model }}
        onChange={({ provider, name }) =>
          // The API belongs to the provider that it was read with.
          onChange({ ...variant, provider, model: name, apiType: provider === before ? apiType : null })
        }
      />
      <button
        className="button quiet"
        aria-label={`More about variant ${letter}`}
        aria-haspopup="menu"
        onClick={(event) => setMenu(event.currentTarget.getBoundingClientRect())}
      >
        ⋯
      </button>
      {menu && <Menu label={`Variant ${letter}`} at={menu} items={items} onClose={() => setMenu(null)} />}
    </header>
  );
}

/** The user and the model take turns. */
function nextMessage({ messages }: Variant): VariantMessage {
  const role = messages.at(-1)?.role === 'user' ? 'assistant' : 'user';
  return { role, text: '', isText: true, images: [] };
}

function DifferenceToFirst({ first, variant }: { first: Variant; variant: Variant }) {
  const lines = diffLines(variantText(first), variantText(variant)).filter(({ kind }) => kind !== 'same');
  const count = Math.max(
    lines.filter(({ kind }) => kind === 'added').length,
    lines.filter(({ kind }) => kind === 'removed').length,
  );
  if (count === 0) return <span className="quiet-text">Same as A</span>;
  return (
    <details className="differs">
      <summary>{count === 1 ? '1 line differs from A' : `${count} lines differ from A`}</summary>
      <DiffLines lines={lines} />
    </details>
  );
}

interface MessageProps {
  message: VariantMessage;
  onChange: (message: VariantMessage) => void;
  onRemove: (() => void) | null;
}

/** A message with the pictures behind its text. */
function PicturedMessage({ message, onChange, onRemove }: MessageProps) {
  const { role, isText, images } = message;
  const addImage = isText && role === 'user' && (
    <button className="button quiet" onClick={() => onChange({ ...message, images: [...images, ''] })}>
      + image
    </button>
  );
  return (
    <MessageField message={message} onChange={onChange} onRemove={onRemove} actions={addImage}>
      {images.map((url, at) => (
        <div className="message-head" key={at}>
          <input
            className="field picture"
            aria-label="Address of the image"
            placeholder="https://… or data:image/png;base64,…"
            spellCheck={false}
            value={url}
            onChange={(event) => onChange({ ...message, images: images.with(at, event.target.value) })}
          />
          <button className="button quiet" onClick={() => onChange({ ...message, images: images.toSpliced(at, 1) })}>
            Remove the image
          </button>
        </div>
      ))}
    </MessageField>
  );
}
