import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { brotliCompressSync, constants, gzipSync } from 'node:zlib';
import { defineConfig, type Plugin } from 'vite';

const { version } = JSON.parse(readFileSync(path.join(import.meta.dirname, '../package.json'), 'utf8')) as {
  version: string;
};

const TEXT = /\.(js|css|html|svg|json)$/;

/** Writes `.br` and `.gz` beside every file of text, so that the server compresses nothing while it serves. */
function compressed(): Plugin {
  return {
    name: 'compressed',
    // Only now the text is final: some names are filled in after the bundle was generated.
    writeBundle({ dir }) {
      const files = readdirSync(dir!, { recursive: true, encoding: 'utf8' }).filter((file) => TEXT.test(file));
      for (const file of files.map((name) => path.join(dir!, name))) {
        const text = readFileSync(file);
        const params = { [constants.BROTLI_PARAM_QUALITY]: 11, [constants.BROTLI_PARAM_SIZE_HINT]: text.length };
        writeFileSync(`${file}.br`, brotliCompressSync(text, { params }));
        writeFileSync(`${file}.gz`, gzipSync(text, { level: 9 }));
      }
    },
  };
}

/** Other packages are loaded with the screen or the view that needs them. */
const SHARED =
  /node_modules\/(?:react|react-dom|scheduler|@tanstack|wouter|regexparam|mitt|use-sync-external-store|@fontsource[^/]*)\/|console\/src\/(?:ui|api|shell|saved-views)\/|\/(?:named-)?links\.tsx?$/;

export default defineConfig({
  base: '/console/',
  plugins: [compressed()],
  define: { 'import.meta.env.VERSION': JSON.stringify(version) },
  oxc: { jsx: { runtime: 'automatic' } },
  build: {
    outDir: '../dist/console',
    emptyOutDir: true,
    // Data URLs of fonts and scripts are not allowed by the headers.
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    rolldownOptions: {
      checks: { moduleLevelDirective: false },
      // What screens share, the shell included, is one file, and what searched lists share is another: left to itself the bundler makes
      // one of every part that two screens have in common.
      output: {
        codeSplitting: {
          groups: [
            { name: 'shared', test: SHARED },
            {
              name: 'lists',
              test: /console\/src\/(search|to-sheet)\/|\/(?:feed-draft|judge-from-now|trace-fields|log-fields)\.tsx?$/,
            },
          ],
        },
      },
    },
  },
});
