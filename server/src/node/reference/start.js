// Starts Swagger UI in the page of the API reference. A file of its own, since the policy of the page forbids inline scripts.
const { SwaggerUIBundle } = globalThis
const target = document.getElementById('reference')

const dark = matchMedia('(prefers-color-scheme: dark)')
const followScheme = () => document.documentElement.classList.toggle('dark-mode', dark.matches)
dark.addEventListener('change', followScheme)
followScheme()

const replacements = () => ({
  wrapComponents: {
    // Without the padlock of an operation that also works without credentials.
    OperationSummary:
      (Summary, { React }) =>
      (props) => {
        const isOptional = props.operationProps.get('security')?.some((requirement) => requirement.isEmpty())
        const operationProps = isOptional ? props.operationProps.delete('security') : props.operationProps
        return React.createElement(Summary, { ...props, operationProps })
      },
    // A link inside of a button confuses screen readers; the button itself sets the address of the operation.
    DeepLink:
      (_, { React }) =>
      ({ text }) =>
        React.createElement('span', null, text),
    // There is only this server.
    ServersContainer: () => () => null,
  },
})

/** Completes the markup of Swagger UI for screen readers and keyboards. */
function complete() {
  // Keys and session tokens are secrets as passwords are, and screens are shared.
  for (const field of target.querySelectorAll('#api_key_value, #auth-bearer-value')) {
    field.type = 'password'
    field.autocomplete = 'off'
  }
  const name = (selector, nameOf) => {
    for (const part of target.querySelectorAll(`${selector}:not([aria-label])`)) {
      part.setAttribute('aria-label', nameOf(part))
    }
  }
  name(
    ':is(input, select, textarea):not([id])',
    (field) => field.closest('[data-param-name]')?.dataset.paramName ?? 'Value',
  )
  name('[role=region]', ({ id }) => id)
  name('.close-modal', () => 'Close')
  name('.information-container', (about) => {
    about.role = 'region'
    return 'About'
  })
  name('.modal-ux', (dialog) => {
    dialog.role = 'dialog'
    return 'Authorizations'
  })
  // Another name than the text says.
  for (const button of target.querySelectorAll('.modal-btn[aria-label]')) button.removeAttribute('aria-label')
  // They scroll.
  for (const code of target.querySelectorAll('pre:not([tabindex])')) code.tabIndex = 0
  // The title is an h1, but a tag is an h3.
  for (const heading of target.querySelectorAll(':is(h3, h4, h5):not([aria-level])')) {
    heading.ariaLevel = String(Number(heading.localName.slice(1)) - 1)
  }
}
new MutationObserver(complete).observe(target, { childList: true, subtree: true })

/** How much of a stream an operation that is tried out shows, in milliseconds: Swagger UI waits for the end. */
const STREAM_TIME = 3000

async function sendRequest(url, request) {
  // Else a response with 401 opens the browser's own login, which keeps the password and sends it with every later request.
  const response = await fetch(url, { ...request, credentials: 'omit' })
  if (!response.headers.get('content-type')?.startsWith('text/event-stream')) return response
  const { status, statusText, headers } = response
  return new Response(await readFor(response.body, STREAM_TIME), { status, statusText, headers })
}

/** The text that a stream sends within this time. */
async function readFor(stream, time) {
  const reader = stream.pipeThrough(new TextDecoderStream()).getReader()
  const timer = setTimeout(() => reader.cancel(), time)
  let text = ''
  for (;;) {
    const { done, value } = await reader.read()
    if (done) break
    text += value
  }
  clearTimeout(timer)
  return text
}

SwaggerUIBundle({
  url: target.dataset.document,
  domNode: target,
  deepLinking: true,
  // It would be another origin.
  validatorUrl: null,
  requestInterceptor: (request) => Object.assign(request, { userFetch: sendRequest }),
  plugins: [replacements],
})
