import type { RawPromptResponse } from '../api/schema.gen';
import { diffLines } from '../diff/diff';
import { DiffLines } from '../diff/diff-lines';
import { readMessages } from '../reading/blocks';
import { versionJson, versionText } from './version-text';

/** The content of a version as text. */
export function Content({ prompt: { prompt_template: template, metadata } }: { prompt: RawPromptResponse }) {
  const model = metadata?.model;
  return (
    <>
      <p className="quiet-text">
        {model ? `${model.provider}/${model.name}` : 'No model'}
        {model?.parameters && Object.keys(model.parameters).length > 0 && (
          <code>{` ${JSON.stringify(model.parameters)}`}</code>
        )}
      </p>
      <MessageList template={template} />
    </>
  );
}

export function MessageList({ template }: { template: object }) {
  return (
    <div className="said">
      {readMessages(template).map(({ role, text }, index) => (
        // Two messages may be equal, so the index is the key.
        <article key={index}>
          <p className="quiet-text">{role}</p>
          <pre dir="auto" className="text box">
            {text}
          </pre>
        </article>
      ))}
    </div>
  );
}

/** The differences between the content of two versions. */
export function Difference({ before, after }: { before: RawPromptResponse; after: RawPromptResponse }) {
  const isSame = versionJson(before) === versionJson(after);
  const [old, now] = [versionText(before), versionText(after)];
  // Where the texts are the same, the difference is in something that only the JSON has.
  const lines = old === now && !isSame ? diffLines(versionJson(before), versionJson(after)) : diffLines(old, now);
  return (
    <>
      <p className="quiet-text">
        {isSame
          ? `Versions ${before.version} and ${after.version} are identical.`
          : `From version ${before.version} to version ${after.version}: red lines were removed, green lines were added.`}
      </p>
      <DiffLines lines={lines} />
    </>
  );
}
