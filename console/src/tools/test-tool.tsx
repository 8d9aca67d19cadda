import { useState } from 'react';
import { api } from '../api/client';
import type { JsonObject, ToolDetailBody, ToolResultBody } from '../api/schema.gen';
import { Side } from '../reading/side';
import { Dialog } from '../ui/dialog';
import { Field, Form } from '../ui/form';
import { duration } from '../ui/format';
import { SchemaForm } from '../ui/schema-form';
import { filledIn, type Values } from '../ui/schema-fields';
import { formOf, readArguments } from './arguments';

/** Runs the code of a version once with arguments, and shows what it gave and printed. */
export function TestTool({ tool, onClose }: { tool: ToolDetailBody; onClose: () => void }) {
  const { version } = tool;
  const schema = formOf(version.tool_definition.function?.parameters);
  const [values, setValues] = useState<Values>({});
  const [result, setResult] = useState<ToolResultBody | null>(null);
  const run = async (inputs: JsonObject) => {
    setResult(null);
    const answer = await api('POST /api/public/v2/tool-registry/{tool_identifier}/test-execute', {
      path: { tool_identifier: String(tool.id) },
      query: { version: version.number },
      body: { inputs },
    });
    setResult(answer.result);
  };
  return (
    <Dialog label="Test" className="form-dialog wide" onClose={onClose}>
      <h1>
        Test {tool.name}, version {version.number}
      </h1>
      <Form
        submit="Run the code"
        cancel="Close"
        onSubmit={(typed) => run(schema ? filledIn(schema, values) : readArguments(typed.text('arguments')))}
        onCancel={onClose}
      >
        {schema ? (
          <SchemaForm schema={schema} values={values} onChange={setValues} />
        ) : (
          <Field label="Arguments" hint="A JSON object. The code finds it as args.">
            <textarea className="field mono" name="arguments" rows={4} placeholder="{}" data-first="" />
          </Field>
        )}
      </Form>
      {result && <Result result={result} />}
    </Dialog>
  );
}

function Result({ result: { status, result, error, stdout, stderr, duration_ms: ms } }: { result: ToolResultBody }) {
  return (
    <section role="status" aria-label="Result of the test">
      <h2>Result of the test</h2>
      <p>
        <span className={status === 'error' ? 'bad' : undefined}>{status === 'error' ? 'Failed' : 'Done'}</span>{' '}
        <span className="quiet-text">{duration(ms)}</span>
      </p>
      {error && (
        <p dir="auto" className="bad breaks">
          {`${error.type}: ${error.message}`}
        </p>
      )}
      {status === 'success' && <Side title="Result" value={result} />}
      {stdout !== '' && <Printed title="Printed" text={stdout} />}
      {stderr !== '' && <Printed title="Printed as errors" text={stderr} />}
    </section>
  );
}

function Printed({ title, text }: { title: string; text: string }) {
  return (
    <section className="side-of-span" aria-label={title}>
      <h3>{title}</h3>
      <pre dir="auto" className="box">
        {text}
      </pre>
    </section>
  );
}
