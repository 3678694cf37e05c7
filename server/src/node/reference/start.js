// Starts Swagger UI. A file of its own, since the policy of the page forbids inline scripts.
import { accessibility } from './accessibility.js'

const reference = document.getElementById('reference')

globalThis.SwaggerUIBundle({
  url: reference.dataset.document,
  domNode: reference,
  deepLinking: true,
  plugins: [accessibility],
  syntaxHighlight: { theme: 'tomorrow-night' },
  // It would be another origin.
  validatorUrl: null,
  // Otherwise a response with 401 opens the browser's own login, and the browser sends that password from then on.
  requestInterceptor: (request) => Object.assign(request, { credentials: 'omit' }),
})
