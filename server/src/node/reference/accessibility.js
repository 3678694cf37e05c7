/** A plugin that adds the names, landmarks and headings that screen readers need and Swagger UI lacks. */
export const accessibility = ({ React }) => {
  const h = React.createElement
  // The function is the same at each rendering, so React calls it only when the dialog opens.
  const dialog = { role: 'dialog', 'aria-label': 'Authorization', tabIndex: -1, ref: (node) => node?.focus() }
  return {
    wrapComponents: {
      InfoContainer: (Info) => (props) => h('section', { 'aria-label': 'Service' }, h(Info, props)),
      // The only server is the one that sent the page.
      ServersContainer: () => () => null,
      AuthorizeBtnContainer: (Container) => (props) =>
        h('section', { 'aria-labelledby': 'authorization' }, [
          h('h2', { id: 'authorization', className: 'unseen', key: 'title' }, 'Authorization'),
          h(Container, { ...props, key: 'button' }),
        ]),
      authorizationPopup: (Popup) => (props) => {
        const onKeyDown = ({ key }) => key === 'Escape' && props.authActions.showDefinitions(false)
        return h('div', { ...dialog, onKeyDown }, h(Popup, props))
      },
      CloseIcon: (Icon) => (props) => h('span', { role: 'img', 'aria-label': 'Close' }, h(Icon, props)),
      // The labels of Swagger UI differ from the text on its buttons.
      Button:
        (Button) =>
        ({ 'aria-label': _, ...props }) =>
          h(Button, props),
      operations: (Operations) => (props) => [
        h('h2', { key: 'title' }, 'Operations'),
        h(Operations, { ...props, key: 'list' }),
      ],
      // The link is inside a button that does the same.
      DeepLink: () => (props) => h('span', null, props.text),
      JsonSchemaForm: (Form) => (props) =>
        h('label', null, h('span', { className: 'unseen' }, props.description), h(Form, props)),
      TextArea: (Area) => (props) => h(Area, { 'aria-label': 'Request body', ...props }),
      Input: (Input) => (props) => h(Input, props.type === 'file' ? { 'aria-label': 'Request body', ...props } : props),
      responses: (Responses) => (props) =>
        h(
          'div',
          {
            ref: (node) =>
              node
                ?.querySelector('[role=region]')
                ?.setAttribute('aria-label', `Responses: ${props.method} ${props.path}`),
          },
          h(Responses, props),
        ),
      // Otherwise the button that opens a schema without a title has no name.
      JSONSchema202012KeywordTitle: (Title) => (props) => h(Title, { ...props, title: props.title || 'Schema' }),
      SyntaxHighlighter: (Highlighter) => (props) =>
        h('div', { className: 'code', role: 'group', 'aria-label': 'Code', tabIndex: 0 }, h(Highlighter, props)),
    },
  }
}
