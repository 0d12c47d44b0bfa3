"""What a SAM template describes, as far as one machine emulates it. Everything else in it is refused."""

import copy
import logging
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from types import SimpleNamespace
from typing import Any

from emulator.intrinsics import Intrinsics, TemplateError

# Resources that need nothing locally: the emulator has no permissions, and its storage is folders.
_IGNORED = frozenset(
    {
        "AWS::ApiGatewayV2::Stage",
        "AWS::CloudWatch::Alarm",
        "AWS::IAM::Role",
        "AWS::Lambda::Permission",
        "AWS::Logs::LogGroup",
        "AWS::S3::Bucket",
        "AWS::SQS::Queue",
    }
)
_METHODS = frozenset({"get", "post", "put", "patch", "delete", "head", "options"})
_ANY = "x-amazon-apigateway-any-method"


@dataclass(frozen=True)
class Function:
    """One function, with AWS's defaults filled in. Times are in seconds, memory in MB."""

    logical_id: str
    name: str
    handler: str
    arn: str
    timeout_s: float
    memory_mb: int
    environment: Mapping[str, str]
    reserved_concurrency: int | None
    retry_attempts: int
    max_event_age_s: float
    recursive_loop_allowed: bool


@dataclass(frozen=True)
class Route:
    """An HTTP API route; `method` may be ANY, `path` is in the API's own notation (`/a/{b}`, `/{c+}`)."""

    method: str
    path: str
    function: str


@dataclass(frozen=True)
class Schedule:
    """A schedule of one function; `input` is the event's JSON text, None for the scheduler's own."""

    name: str
    function: str
    expression: str
    input: str | None


@dataclass(frozen=True)
class Cors:
    """The API's preflight answers."""

    origins: tuple[str, ...] = ()
    methods: tuple[str, ...] = ()
    headers: tuple[str, ...] = ()
    expose: tuple[str, ...] = ()
    credentials: bool = False
    max_age_s: int | None = None


@dataclass(frozen=True)
class Template:
    """The whole system: functions by their name, routes, schedules."""

    functions: Mapping[str, Function]
    routes: tuple[Route, ...]
    schedules: tuple[Schedule, ...]
    cors: Cors | None = None
    region: str = "ap-northeast-2"
    account: str = "000000000000"
    required_parameters: tuple[str, ...] = field(default=())


def load(
    path: Path,
    parameters: Mapping[str, str] | None = None,
    *,
    stack_name: str = "web4ai",
    region: str = "ap-northeast-2",
    account: str = "000000000000",
    fill_missing: bool = False,
) -> Template:
    """Read a SAM template. Parameters without a default must be given, or are empty with `fill_missing`.

    Raises `TemplateError`, naming the resource, for what is wrong or cannot be emulated.
    """
    plain = transform(path, region)
    required = tuple(k for k, v in plain.get("Parameters", {}).items() if "Default" not in v)
    values = dict.fromkeys(required, "") if fill_missing else {}
    pseudo = {
        "AWS::StackName": stack_name,
        "AWS::Region": region,
        "AWS::AccountId": account,
        "AWS::Partition": "aws",
        "AWS::URLSuffix": "amazonaws.com",
        "AWS::StackId": f"arn:aws:cloudformation:{region}:{account}:stack/{stack_name}/0",
    }
    reader = _Reader(plain, Intrinsics(plain, values | dict(parameters or {}), pseudo))
    routes, cors = reader.api()
    return Template(
        reader.functions, routes, reader.schedules(), cors, region, account, required_parameters=required
    )


def transform(path: Path, region: str = "ap-northeast-2") -> dict[str, Any]:
    """The plain CloudFormation template that AWS makes of a SAM template, code locations left out."""
    # Slow to import, and only whoever starts a stack needs them.
    from samtranslator.model.exceptions import InvalidDocumentException
    from samtranslator.parser.parser import Parser
    from samtranslator.translator.translator import Translator
    from samtranslator.utils.py27hash_fix import (
        to_py27_compatible_template,
        undo_mark_unicode_str_in_template,
    )
    from samtranslator.yaml_helper import yaml_parse

    logging.getLogger("samtranslator.metrics").setLevel(logging.ERROR)  # it wants its metrics published
    source = copy.deepcopy(yaml_parse(path.read_text("utf-8")))
    for owner in [source.get("Globals", {}).get("Function", {}), *_sam_functions(source)]:
        if "CodeUri" in owner:
            owner["CodeUri"] = "s3://local-code/unused.zip"
    to_py27_compatible_template(source, {})
    session = SimpleNamespace(region_name=region)  # boto3's own would read the developer's AWS profile
    roles = {
        "AWSLambdaBasicExecutionRole": "arn:aws:iam::aws:policy/service-role/AWSLambdaBasicExecutionRole"
    }
    try:
        plain = Translator(roles, Parser(), boto_session=session).translate(source, parameter_values={})
    except InvalidDocumentException as error:
        reasons = "; ".join(cause.message for cause in error.causes)
        raise TemplateError(f"{path.name}: {reasons}") from error
    return dict(undo_mark_unicode_str_in_template(plain))


def _sam_functions(source: Mapping[str, Any]) -> Iterator[dict[str, Any]]:
    for resource in source.get("Resources", {}).values():
        if resource.get("Type") == "AWS::Serverless::Function":
            yield resource["Properties"]


class _Reader:
    def __init__(self, plain: Mapping[str, Any], intrinsics: Intrinsics) -> None:
        self._intrinsics = intrinsics
        self._by_type: dict[str, dict[str, dict[str, Any]]] = {}
        for name, resource in plain["Resources"].items():
            if "Condition" in resource and not intrinsics.holds(resource["Condition"], name):
                continue
            self._by_type.setdefault(resource["Type"], {})[name] = resource.get("Properties", {})
        known = {
            "AWS::Lambda::Function",
            "AWS::Lambda::EventInvokeConfig",
            "AWS::Scheduler::Schedule",
            "AWS::ApiGatewayV2::Api",
        }
        for kind in sorted(set(self._by_type) - known - _IGNORED):
            raise TemplateError(f"{', '.join(self._by_type[kind])}: a resource {kind} cannot be emulated")
        functions = (self._function(k, v) for k, v in self._by_type.get("AWS::Lambda::Function", {}).items())
        self.functions = {function.name: function for function in functions}

    def _resolve(self, value: Any, where: str) -> Any:
        return self._intrinsics.resolve(value, where)

    def _function(self, name: str, properties: Mapping[str, Any]) -> Function:
        for key in ("Layers", "FileSystemConfigs", "ImageConfig", "SnapStart"):
            if key in properties:
                raise TemplateError(f"{name}: {key} cannot be emulated")
        runtime, handler = self._resolve(properties.get("Runtime"), name), properties.get("Handler")
        if not str(runtime).startswith("python3.") or not handler:
            raise TemplateError(
                f"{name}: only Python functions with a Handler can be emulated, not {runtime}"
            )
        variables = self._resolve(properties.get("Environment", {}).get("Variables", {}), name)
        asynchronous = self._event_invoke_config(name)
        reserved = self._resolve(properties.get("ReservedConcurrentExecutions"), name)
        return Function(
            logical_id=name,
            name=str(self._resolve({"Ref": name}, name)),
            handler=str(self._resolve(handler, name)),
            arn=str(self._resolve({"Fn::GetAtt": [name, "Arn"]}, name)),
            timeout_s=float(self._resolve(properties.get("Timeout", 3), name)),
            memory_mb=int(self._resolve(properties.get("MemorySize", 128), name)),
            environment={key: _environment_text(value) for key, value in variables.items()},
            reserved_concurrency=None if reserved is None else int(reserved),
            retry_attempts=int(asynchronous.get("MaximumRetryAttempts", 2)),
            max_event_age_s=float(asynchronous.get("MaximumEventAgeInSeconds", 6 * 3600)),
            recursive_loop_allowed=self._resolve(properties.get("RecursiveLoop"), name) == "Allow",
        )

    def _event_invoke_config(self, function: str) -> Mapping[str, Any]:
        for name, config in self._by_type.get("AWS::Lambda::EventInvokeConfig", {}).items():
            if config["FunctionName"] == {"Ref": function}:
                return dict(self._resolve(config, name))
        return {}

    def schedules(self) -> tuple[Schedule, ...]:
        found = []
        for name, properties in self._by_type.get("AWS::Scheduler::Schedule", {}).items():
            if self._resolve(properties.get("State", "ENABLED"), name) != "ENABLED":
                continue
            if properties.get("FlexibleTimeWindow", {}).get("Mode", "OFF") != "OFF":
                raise TemplateError(f"{name}: a flexible time window cannot be emulated")
            zone = self._resolve(properties.get("ScheduleExpressionTimezone", "UTC"), name)
            if zone != "UTC":
                raise TemplateError(f"{name}: the time zone {zone} cannot be emulated, only UTC")
            target = properties["Target"]
            function = self._named(str(self._resolve(target["Arn"], name)).rsplit(":", 1)[-1], name)
            expression = str(self._resolve(properties["ScheduleExpression"], name))
            found.append(Schedule(name, function, expression, self._resolve(target.get("Input"), name)))
        return tuple(found)

    def api(self) -> tuple[tuple[Route, ...], Cors | None]:
        apis = self._by_type.get("AWS::ApiGatewayV2::Api", {})
        if len(apis) > 1:
            raise TemplateError(f"{', '.join(apis)}: only one HTTP API can be emulated")
        for name, properties in apis.items():
            body = self._resolve(properties.get("Body", {}), name)
            routes = tuple(self._routes(name, body.get("paths", {})))
            return routes, _cors(body.get("x-amazon-apigateway-cors"))
        return (), None

    def _routes(self, name: str, paths: Mapping[str, Mapping[str, Any]]) -> Iterator[Route]:
        for path, operations in paths.items():
            for method, operation in operations.items():
                where = f"{name} {method.upper()} {path}"
                if method not in _METHODS | {_ANY}:
                    raise TemplateError(f"{where}: this method cannot be emulated")
                if operation.get("security"):
                    raise TemplateError(f"{where}: an authorizer cannot be emulated")
                integration = operation.get("x-amazon-apigateway-integration", {})
                if integration.get("payloadFormatVersion") != "2.0":
                    raise TemplateError(f"{where}: only payload format 2.0 can be emulated")
                target = re.search(r":function:([^:/]+)/invocations$", str(integration.get("uri")))
                if target is None:
                    raise TemplateError(f"{where}: the route leads to no function")
                yield Route("ANY" if method == _ANY else method.upper(), path, self._named(target[1], where))

    def _named(self, function: str, where: str) -> str:
        if function not in self.functions:
            raise TemplateError(f"{where}: there is no function {function}")
        return function


def _cors(body: Mapping[str, Any] | None) -> Cors | None:
    if body is None:
        return None
    return Cors(
        origins=tuple(body.get("allowOrigins", ())),
        methods=tuple(body.get("allowMethods", ())),
        headers=tuple(body.get("allowHeaders", ())),
        expose=tuple(body.get("exposeHeaders", ())),
        credentials=bool(body.get("allowCredentials", False)),
        max_age_s=body.get("maxAge"),
    )


def _environment_text(value: Any) -> str:
    return str(value).lower() if isinstance(value, bool) else str(value)
