// SPDX-License-Identifier: Apache-2.0
// Builds index.html, its script and its style into ONE file, dist/report.html, which opens from a disk
// without network. The script and the style are named by their digest in a Content-Security-Policy: the
// page can neither load anything nor run a script that came with the data.
import {createHash} from 'node:crypto';
import {readFileSync} from 'node:fs';
import {defineConfig} from 'vite';

const marker = '<script type="application/json" id="assay-data">{}</script>';

function digest(text) {
  return `'sha256-${createHash('sha256').update(text).digest('base64')}'`;
}

function licence_of(name) {
  const base = new URL(`node_modules/${name}/`, import.meta.url);
  const {version} = JSON.parse(readFileSync(new URL('package.json', base), 'utf8'));
  const text = readFileSync(new URL('LICENSE', base), 'utf8').trim();
  return `${name} ${version}\n${text}`.replaceAll('--', '- -');
}

function one_file() {
  return {
    name: 'one-file',
    enforce: 'post',
    generateBundle(options, bundle) {
      const files = Object.values(bundle);
      const page = files.find((file) => file.fileName.endsWith('.html'));
      const script = files.find((file) => file.type === 'chunk').code.trim();
      const style = files
        .filter((file) => file.fileName.endsWith('.css'))
        .map((file) => String(file.source).trim())
        .join('\n');
      if (/<\/script|<!--/i.test(script) || script.includes(marker))
        this.error('the script holds text that would end it, or the marker of the data');
      if (files.filter((file) => file.type === 'chunk').length !== 1)
        this.error('more than one script: import() cannot be inlined');
      const policy = [
        "default-src 'none'",
        `script-src ${digest(script)}`,
        `style-src ${digest(style)}`,
        "img-src data:",
        "base-uri 'none'",
        "form-action 'none'",
      ].join('; ');
      const html = String(page.source)
        .replace(/\s*<script[^>]*\ssrc="[^>]*><\/script>/g, '')
        .replace(/\s*<link[^>]*rel="(stylesheet|modulepreload)"[^>]*>/g, '')
        .replace(
          '<meta charset="utf-8">',
          () =>
            `<meta charset="utf-8">\n<meta http-equiv="Content-Security-Policy" content="${policy}">`,
        )
        .replace('</head>', () => `<style>${style}</style>\n</head>`)
        .replace(
          '</body>',
          () => `<script>${script}</script>\n<!--\n${licence_of('uplot')}\n-->\n</body>`,
        );
      if (html.split(marker).length !== 2) this.error('the marker of the data must occur once');
      for (const name of Object.keys(bundle)) delete bundle[name];
      this.emitFile({type: 'asset', fileName: 'report.html', source: html});
    },
  };
}

export default defineConfig({
  plugins: [one_file()],
  build: {
    target: 'es2022',
    modulePreload: false,
    cssCodeSplit: false,
    assetsInlineLimit: 1 << 20,
    rollupOptions: {output: {format: 'iife'}},
  },
});
