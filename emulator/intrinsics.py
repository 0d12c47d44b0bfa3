"""CloudFormation's intrinsic functions, as far as a template of functions needs them."""

import re
from collections.abc import Mapping
from typing import Any

_VARIABLE = re.compile(r"\$\{(!?)([^}]*)\}")
_MISSING = object()


class TemplateError(ValueError):
    """The template says something that cannot be emulated; the message names where and what."""


class Intrinsics:
    """Resolves Ref, GetAtt, Sub, Join, If and conditions of one transformed template."""

    def __init__(
        self, template: Mapping[str, Any], parameters: Mapping[str, str], pseudo: Mapping[str, str]
    ) -> None:
        self._resources: Mapping[str, Any] = template.get("Resources", {})
        self._conditions: Mapping[str, Any] = template.get("Conditions", {})
        self._pseudo = pseudo
        declared: Mapping[str, Any] = template.get("Parameters", {})
        if unknown := sorted(set(parameters) - set(declared)):
            raise TemplateError(f"the template declares no parameter {', '.join(unknown)}")
        self._parameters: dict[str, Any] = {}
        for name, declaration in declared.items():
            value = parameters.get(name, declaration.get("Default"))
            if value is None:
                raise TemplateError(f"parameter {name} has no default and was given no value")
            is_list = declaration.get("Type") == "CommaDelimitedList" or "List<" in declaration.get(
                "Type", ""
            )
            self._parameters[name] = str(value).split(",") if is_list else str(value)

    def holds(self, condition: str, where: str) -> bool:
        """Whether the named condition is true."""
        if condition not in self._conditions:
            raise TemplateError(f"{where}: there is no condition {condition}")
        return self._test(self._conditions[condition], f"condition {condition}")

    def resolve(self, value: Any, where: str) -> Any:
        """The value without functions; what resolves to AWS::NoValue is left out of lists and mappings.

        Raises `TemplateError`, beginning with `where`, for anything it does not know.
        """
        resolved = self._resolve(value, where)
        return None if resolved is _MISSING else resolved

    def _resolve(self, value: Any, where: str) -> Any:
        if isinstance(value, list):
            return [part for item in value if (part := self._resolve(item, where)) is not _MISSING]
        if not isinstance(value, dict):
            return value
        if len(value) == 1:
            (name, argument), *_ = value.items()
            if name == "Ref" or name.startswith("Fn::"):
                return self._call(name, argument, where)
        pairs = ((key, self._resolve(item, where)) for key, item in value.items())
        return {key: item for key, item in pairs if item is not _MISSING}

    def _call(self, name: str, argument: Any, where: str) -> Any:
        match name:
            case "Ref":
                return self._reference(str(argument), where)
            case "Fn::GetAtt":
                parts = argument if isinstance(argument, list) else str(argument).split(".", 1)
                return self._attribute(str(parts[0]), str(parts[1]), where)
            case "Fn::Sub":
                return self._substitute(argument, where)
            case "Fn::Join":
                separator, parts = argument
                return str(separator).join(str(part) for part in self._resolve(parts, where))
            case "Fn::If":
                condition, yes, no = argument
                return self._resolve(yes if self.holds(condition, where) else no, where)
        raise TemplateError(f"{where}: {name} cannot be emulated")

    def _reference(self, name: str, where: str) -> Any:
        if name == "AWS::NoValue":
            return _MISSING
        if name in self._pseudo:
            return self._pseudo[name]
        if name in self._parameters:
            return self._parameters[name]
        if name not in self._resources:
            raise TemplateError(f"{where}: Ref {name} names no parameter and no resource")
        resource = self._resources[name]
        for key in ("FunctionName", "BucketName", "LogGroupName", "QueueName"):
            if key in (properties := resource.get("Properties", {})):
                return self.resolve(properties[key], name)
        return f"{self._pseudo['AWS::StackName']}-{name}".lower()

    def _attribute(self, name: str, attribute: str, where: str) -> str:
        if name not in self._resources:
            raise TemplateError(f"{where}: GetAtt {name}.{attribute} names no resource")
        reference = str(self._reference(name, where))
        if attribute in ("QueueName", "Name"):
            return reference
        if attribute == "Arn":
            service = self._resources[name]["Type"].split("::")[1].lower()
            kind = "function:" if service == "lambda" else ""
            region, account = self._pseudo["AWS::Region"], self._pseudo["AWS::AccountId"]
            return f"arn:aws:{service}:{region}:{account}:{kind}{reference}"
        raise TemplateError(f"{where}: GetAtt {name}.{attribute} cannot be emulated")

    def _substitute(self, argument: Any, where: str) -> str:
        text, given = argument if isinstance(argument, list) else (argument, {})

        def replace(match: re.Match[str]) -> str:
            literal, name = match[1], match[2].strip()
            if literal:
                return "${" + name + "}"
            if name in given:
                return str(self._resolve(given[name], where))
            if "." in name:
                resource, attribute = name.split(".", 1)
                return self._attribute(resource, attribute, where)
            return str(self._reference(name, where))

        return _VARIABLE.sub(replace, str(text))

    def _test(self, condition: Any, where: str) -> bool:
        if not isinstance(condition, dict) or len(condition) != 1:
            raise TemplateError(f"{where}: not a condition")
        (name, argument), *_ = condition.items()
        match name:
            case "Fn::Equals":
                left, right = argument
                return str(self.resolve(left, where)) == str(self.resolve(right, where))
            case "Fn::Not":
                return not self._test(argument[0], where)
            case "Fn::And":
                return all(self._test(part, where) for part in argument)
            case "Fn::Or":
                return any(self._test(part, where) for part in argument)
            case "Condition":
                return self.holds(argument, where)
        raise TemplateError(f"{where}: condition {name} cannot be emulated")
