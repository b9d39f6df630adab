import { fileURLToPath } from 'node:url'
import tailwindcss from '@tailwindcss/vite'
import react from '@vitejs/plugin-react'
import { defineConfig } from 'vite'
import { parseTexts } from './parse-texts.ts'

/** The libraries under every screen. */
const base =
  /node_modules\/(react|react-dom|scheduler|@tanstack\/(react-router|router-core|history|react-store|store|react-query|query-core)|use-sync-external-store|openapi-fetch|intl-messageformat|@formatjs\/[^/]+)\//

/** What of the app itself every screen needs. */
const shell =
  /dashboard\/src\/(shell\/(?!other-account)|api\/|routes\/|service\/|messages\/[a-z]+\.ts|format\/|shortcuts\/(keys|shortcuts)|session\/(session-|read-session|fresh-login|use-role)|parts\/(button|copy-button|notice|toasts|page-header)\.|screens\/[^/]+\/[a-z]*-?search\.ts)/

/** The app is served by the server at /app; nothing in its page is inline, which the server's policy would refuse. */
export default defineConfig({
  root: fileURLToPath(new URL('.', import.meta.url)),
  base: '/app/',
  plugins: [parseTexts(), react(), tailwindcss()],
  resolve: {
    alias: [
      {
        find: /^@formatjs\/icu-messageformat-parser$/,
        replacement: '@formatjs/icu-messageformat-parser/no-parser.js',
      },
    ],
  },
  build: {
    target: ['chrome111', 'firefox115', 'safari16.4'],
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    reportCompressedSize: false,
    license: true,
    manifest: true,
    rolldownOptions: {
      output: {
        // What every screen needs in one file: it compresses better than thirty, and is asked for once.
        codeSplitting: {
          groups: [
            { name: 'base', test: base },
            { name: 'shell', test: shell },
          ],
        },
      },
    },
  },
})
